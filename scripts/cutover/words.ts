/** The plan and the state of a cutover, for a person. Pure. */
import type { CutoverJournal } from './journal.ts';

export function planOf({ hostname, worker, before }: CutoverJournal, dryRun: boolean): string[] {
  const steps = [
    'write down what is there now',
    before.dns.length > 0
      ? `delete ${before.dns.map(({ type, content }) => `${type} ${content ?? ''}`).join(', ')} of ${hostname}`
      : undefined,
    `attach ${hostname} to the Worker ${worker}, which makes its DNS record and certificate`,
    `wait until https://${hostname} serves`,
    `deploy the same release with https://${hostname}, ${before.origins.join(', ')}; the first is advertised`,
    'see that each address is its own sign-in and knows this machine',
  ].filter((step) => step !== undefined);
  return [
    `${before.origins[0]} goes on serving; connectors that use it notice nothing.`,
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    `When anything fails: version ${before.version} serves again, the domain is detached, the records are put back.`,
    ...(dryRun ? ['Dry run: everything was looked at, nothing was changed.'] : []),
  ];
}

export function statusOf(journal: CutoverJournal | undefined): string[] {
  if (!journal) return ['No cutover was begun from here.'];
  const { hostname, stage, why, at_ms, before } = journal;
  return [
    `${hostname}: ${stage} since ${new Date(at_ms).toISOString()}${why ? ` (${why})` : ''}`,
    `before it: ${before.origins.join(', ')}, version ${before.version}, ${before.dns.length} DNS records`,
  ];
}
