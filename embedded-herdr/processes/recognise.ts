import { basename } from 'node:path';
import { knownAgent } from '../../contract/herdr/index.ts';
import type { ProcessFacts } from './table.ts';

/** Programs that run a script or another program: the agent is what stands behind them. */
const RUNTIMES = new Set([
  ...['node', 'nodejs', 'bun', 'deno', 'python', 'python3', 'ruby', 'perl', 'php', 'java', 'uv', 'uvx', 'npx', 'bunx'],
  ...['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'fish', 'env', 'tsx', 'pwsh'],
]);

/** Options of those runtimes that take the next word as their value, so that it is not taken for the script. */
const VALUE_OPTIONS = new Set(['-r', '--require', '--import', '--loader', '-W', '-X', '-I', '--env-file', '-o', '-O']);
/** After these the program text stands in the arguments: there is no script. */
const INLINE_OPTIONS = new Set(['-c', '-e', '-p', '--eval', '--print']);

const shortName = (word: string): string => basename(word.replace(/^-/, ''));

const isRuntime = (word: string): boolean =>
  RUNTIMES.has(
    shortName(word)
      .toLowerCase()
      .replace(/(?<=^(python|ruby|perl|php))[\d.]+$/, ''),
  );

/** The word that names the script or program behind a runtime, if there is one. */
export function scriptBehind(argv: readonly string[]): string | undefined {
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (INLINE_OPTIONS.has(word)) return undefined;
    if (word === '-m') return argv[i + 1];
    if (VALUE_OPTIONS.has(word)) i++;
    else if (word === 'run' || word === 'x' || /^[A-Za-z_]\w*=/.test(word)) continue;
    else if (isRuntime(word)) continue;
    else if (!word.startsWith('-')) return word;
  }
  return undefined;
}

/** The known agent that one process is, by its name, argv[0], or what stands behind its runtime. */
function agentOf(process: ProcessFacts): string | undefined {
  const words = [process.name, shortName(process.argv[0] ?? '')];
  if (words.some(isRuntime)) {
    const script = scriptBehind(process.argv);
    if (script) words.push(basename(script));
  }
  for (const word of words) {
    const known = knownAgent(word);
    if (known) return known.label;
  }
  return undefined;
}

const hintedAgent = (process: ProcessFacts): string | undefined =>
  process.agentHint === undefined ? undefined : knownAgent(process.agentHint)?.label;

/**
 * Which agent a foreground process group hosts, and which of its processes it is. The group's leader stands first and
 * wins over its children; in each process an environment hint wins over names, and a hint of a child over the name of
 * another. Source: reference/herdr-protocol.md 2.9.
 */
export function recogniseAgent(group: readonly ProcessFacts[]): { label: string; pid: number } | undefined {
  const [leader, ...children] = group;
  const looks = [
    ...(leader ? [() => pick([leader], hintedAgent), () => pick([leader], agentOf)] : []),
    () => pick(children, hintedAgent),
    () => pick(children, agentOf),
  ];
  for (const look of looks) {
    const found = look();
    if (found) return found;
  }
  return undefined;
}

function pick(
  processes: readonly ProcessFacts[],
  read: (process: ProcessFacts) => string | undefined,
): { label: string; pid: number } | undefined {
  for (const process of processes) {
    const label = read(process);
    if (label !== undefined) return { label, pid: process.pid };
  }
  return undefined;
}

const START_SHELLS = new Set('sh bash dash zsh fish ksh mksh csh tcsh elvish xonsh nu pwsh powershell cmd'.split(' '));

/** Whether a process name is that of a shell that `agent.start` may type into. */
export function isStartShell(name: string): boolean {
  return START_SHELLS.has(
    shortName(name)
      .toLowerCase()
      .replace(/\.exe$/, ''),
  );
}
