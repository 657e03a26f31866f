/** What a run found, as a table for the terminal and as the page `docs/compatibility.md`. Pure. */
import type { Judged } from './conformance.ts';
import { type Finished, STEPS } from './flow.ts';

export interface Run {
  suite: string;
  /** Day of the run, `YYYY-MM-DD`. */
  day: string;
  node: string;
  edge: string;
  clients: readonly Finished[];
  scenarios: readonly Judged[];
}

/** Whether everything that applies held and every client came to its end. */
export function isClean({ clients, scenarios }: Run): boolean {
  return (
    clients.every(({ problem }) => problem === undefined) && scenarios.every(({ verdict }) => verdict !== 'failed')
  );
}

/** Lines for the terminal: every client's road, every scenario that applies, and how many do not. */
export function terminalLines(run: Run): string[] {
  const applying = run.scenarios.filter(({ verdict }) => verdict !== 'does not apply');
  return [
    ...run.clients.map((one) => `${one.problem === undefined ? 'held  ' : 'FAILED'}  ${one.client}: ${roadOf(one)}`),
    ...applying.map(
      (one) =>
        `${one.verdict === 'held' ? 'held  ' : 'FAILED'}  ${one.version}  ${one.scenario}: ${one.passed} checks${one.failures.map((failure) => `\n          ${failure}`).join('')}`,
    ),
    `${run.scenarios.length - applying.length} scenarios do not apply; docs/compatibility.md says why.`,
  ];
}

function roadOf({ seen, problem }: Finished): string {
  const done = STEPS.filter((step) => seen[step] !== undefined).join(' → ');
  return problem === undefined ? done : `${done}; then: ${problem}`;
}

/** The page. The run writes it, nobody else. */
export function compatibilityPage(run: Run): string {
  const applying = run.scenarios.filter(({ verdict }) => verdict !== 'does not apply');
  const rest = run.scenarios.filter(({ verdict }) => verdict === 'does not apply');
  const grouped = new Map<string, { versions: string[]; why: string }>();
  for (const { scenario, version, why = '' } of rest) {
    const known = grouped.get(scenario) ?? { versions: [], why };
    known.versions.push(version);
    grouped.set(scenario, known);
  }
  return `# Compatibility

Written by \`npm run interop\` on ${run.day}, with Node ${run.node} and the edge ${run.edge} in local workerd, a real link and a
real runtime behind it. Do not edit: run it again.

## Clients

Each went the whole road by itself: it was refused without a token, discovered the edge, registered, sent a person to the
sign-in page (approved with \`herdr-mcp connector approve\`), listed, called, refreshed a token that was refused, and ended
its grant.

${table(
  ['Client', 'Protocol', ...STEPS],
  run.clients.map((one) => [
    one.client,
    one.protocol,
    ...STEPS.map((step) => one.seen[step] ?? one.problem ?? 'not reached'),
  ]),
)}

The Inspector is 110 MB with its web interface, so it is no dependency of the project: the run installs one exact version
into \`.herdr-mcp/interop\` of the clone, without running its scripts.

## Conformance

\`@modelcontextprotocol/conformance\` ${run.suite}. A door in front of the edge adds the bearer, because the suite cannot sign in; it
changes nothing else.

${table(
  ['Protocol', 'Scenario', 'Result', 'Checks passed', 'Remark'],
  applying.map((one) => [
    one.version,
    one.scenario,
    one.verdict,
    String(one.passed),
    [...one.failures, ...(one.why === undefined ? [] : [one.why])].join('; '),
  ]),
)}

### Scenarios that cannot apply

${table(
  ['Scenario', 'Protocol', 'Why not'],
  [...grouped].map(([scenario, { versions, why }]) => [scenario, versions.join(', '), why]),
)}
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
