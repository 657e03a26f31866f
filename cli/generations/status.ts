/** `herdr-mcp runtime status`: what is wanted, what runs, and whether five places agree. */
import { openIdentity, readDevice, readLinkStatus, requestAsDevice } from '../../link/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import { isAlive } from '../../local/spawn/index.ts';
import {
  listRevisions,
  readDesired,
  readObserved,
  readPointer,
  readRecord,
} from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { START } from '../start-it.ts';
import { age, say, sayJson } from '../terminal/index.ts';
import { type Facts, readiness } from './readiness.ts';

export const status = action(
  'status',
  'Revisions and generations: what serves, what is staged, and whether everything agrees',
  { json: { type: 'boolean', description: 'Answer in JSON' } },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const [{ up, observed }, desired, revisions, facts] = await Promise.all([
      readObserved(stateDir),
      readDesired(stateDir),
      listRevisions(stateDir),
      gatherFacts(stateDir),
    ]);
    const { ready, places } = readiness(facts);
    if (args.json) {
      sayJson({ ready, places, up: up ?? null, desired: desired ?? null, observed: observed ?? null, revisions });
      return;
    }
    say(`supervisor  ${up ? `runs (pid ${up.pid}), ${observed?.state ?? 'starting'}` : `does not run: ${START}`}`);
    if (desired?.paused) say(`paused      for ${age(Date.now() - desired.paused.since_ms)}: herdr-mcp resume`);
    if (desired?.running === false) say(`stopped     by the user: ${START}`);
    if (observed?.trouble) say(`trouble     ${observed.trouble}`);
    for (const { place, ok, fact } of places)
      say(`${place.padEnd(12)}${ok ? 'ok' : ok === null ? '?' : 'NO'}  ${fact}`);
    for (const line of storyOf(observed)) say(line);
    for (const { revision, staged_at_ms } of revisions) {
      say(`revision    ${revision}, staged ${age(Date.now() - staged_at_ms)} ago${marks(revision, observed)}`);
    }
  },
);

type Observed = Awaited<ReturnType<typeof readObserved>>['observed'];

function storyOf(observed: Observed): string[] {
  const { candidate, transition, draining, last_transition: last, migration } = observed ?? {};
  return [
    ...(candidate
      ? [`candidate   ${candidate.revision}: ${candidate.phase}${candidate.reason ? `. ${candidate.reason}` : ''}`]
      : []),
    ...(transition ? [`promotion   to ${transition.to.revision}: ${transition.phase}`] : []),
    ...(draining ? [`draining    ${draining.revision}: waits for ${draining.waits_for || 'its end'}`] : []),
    ...(last ? [`last        ${last.to}: ${last.outcome}${last.reason ? `. ${last.reason}` : ''}`] : []),
    ...(migration?.backup ? [`copy        ${migration.backup} (schema ${migration.from})`] : []),
  ];
}

function marks(revision: string, observed: Observed): string {
  const words = [
    ...(observed?.active?.revision === revision ? ['active'] : []),
    ...(observed?.previous === revision ? ['the one before'] : []),
    ...(observed?.refused.some((one) => one.revision === revision) ? ['refused'] : []),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** Everything that {@link readiness} weighs, each truth asked of its owner. */
export async function gatherFacts(stateDir: string): Promise<Facts> {
  const [desired, { observed }, revisions, pointer, link] = await Promise.all([
    readDesired(stateDir),
    readObserved(stateDir),
    listRevisions(stateDir),
    readPointer(stateDir),
    readLinkStatus(stateDir),
  ]);
  const record = observed?.active && (await readRecord(stateDir, observed.active.generation));
  const alive = record && isAlive(record.pid, record.process_start) ? record : undefined;
  return {
    desired,
    observed,
    here: revisions.map(({ revision }) => revision),
    pointed: pointer?.generation,
    record: alive,
    link,
    edgeBoot: await edgeBoot(stateDir),
  };
}

/** What the edge has heard from the link. Not knowing is an answer: the edge may be out of reach. */
async function edgeBoot(stateDir: string): Promise<string | undefined> {
  if (!(await readDevice(stateDir))) return undefined;
  try {
    const { device, signer } = await openIdentity(stateDir);
    const request = { method: 'GET', path: `/status/${device.device_id}` } as const;
    const { status: code, body } = await requestAsDevice(device.edge_origin, signer, request, process.env);
    if (code !== 200 || typeof body !== 'object' || body === null) return undefined;
    const { runtime } = body as { runtime?: { boot_id?: unknown } };
    return typeof runtime?.boot_id === 'string' ? runtime.boot_id : 'none';
  } catch {
    return undefined; // out of reach, or its key: doctor says which
  }
}
