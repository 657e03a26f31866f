/** `herdr-mcp runtime stage|promote|rollback|remove`. Each can be killed and run again: it finds what is done already. */
import { LocalError } from '../../local/error/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import {
  changeDesired,
  deleteRevision,
  type Observed,
  readDesired,
  readObserved,
  readRevision,
  stageRevision,
} from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { say, sayJson } from '../terminal/index.ts';
import { changeAndWait, requireSupervisor, waitFor } from './wait.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;

export const stage = action(
  'stage',
  'Bring another build beside the active one: copy it, migrate, start it, and gate it',
  {
    folder: {
      type: 'positional',
      required: false,
      description: 'A folder of built programs; this installation’s own when absent',
    },
    json,
  },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const before = await requireSupervisor(stateDir);
    const { revision } = await stageRevision(stateDir, args.folder ?? import.meta.dirname);
    refuseRefused(before, revision);
    if (before.active?.revision === revision)
      return told(args.json, { revision, state: 'active' }, `${revision} is active already.`);
    const observed = await changeAndWait(stateDir, (now) => ({ ...now, candidate: revision }));
    const { candidate } = observed;
    if (candidate?.revision !== revision) throw notAnyMore(revision);
    if (candidate.phase === 'failed') throw notReady(revision, candidate);
    told(
      args.json,
      { revision, state: 'ready', gates: candidate.gates },
      `${revision} is ready beside ${observed.active?.revision}. Next: herdr-mcp runtime promote`,
    );
  },
);

export const promote = action(
  'promote',
  'Move calls to the staged build, and back by itself when it does not do well',
  { revision: { type: 'positional', required: false, description: 'Another revision than the staged one' }, json },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const before = await requireSupervisor(stateDir);
    const desired = await readDesired(stateDir);
    const wanted = args.revision ?? desired?.candidate;
    if (wanted === undefined) {
      if (isUnderWay(before, desired?.active)) return outcome(stateDir, args.json, desired?.change ?? 0);
      throw new LocalError(
        'nothing_staged',
        'No revision is staged, so nothing was moved.',
        'Stage one: herdr-mcp runtime stage',
      );
    }
    refuseRefused(before, wanted);
    await requireRevision(stateDir, wanted);
    if (before.active?.revision === wanted && desired?.active === wanted && !before.transition) {
      return told(args.json, { revision: wanted, outcome: 'active' }, `${wanted} is active already.`);
    }
    await goTo(stateDir, wanted, args.json);
  },
);

export const rollback = action(
  'rollback',
  'Move calls back to the build that was active before',
  { json },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const before = await requireSupervisor(stateDir);
    const desired = await readDesired(stateDir);
    const from = before.transition?.from?.revision;
    // While a promotion is on its way, back means the one that is still remembered as active.
    const wanted = from ?? before.previous;
    if (wanted === undefined) {
      const last = before.last_transition;
      if (isUnderWay(before, desired?.active)) return outcome(stateDir, args.json, desired?.change ?? 0);
      if (last?.back)
        return told(
          args.json,
          { revision: last.to, outcome: 'active' },
          `${last.to} is active: it was rolled back to already.`,
        );
      throw new LocalError(
        'no_previous',
        'There is no revision before the active one, so nothing was moved.',
        'herdr-mcp runtime status lists the revisions that are here.',
      );
    }
    await requireRevision(stateDir, wanted);
    await goTo(stateDir, wanted, args.json);
  },
);

export const remove = action(
  'remove',
  'Delete a revision that is not in use; a staged one is withdrawn first',
  { revision: { type: 'positional', required: true, description: 'As runtime status lists it' }, json },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const { revision } = args;
    const { up, observed } = await readObserved(stateDir);
    const isUsed = (now: Observed) => usesOf(now, revision).length > 0;
    if (observed?.active?.revision === revision || observed?.transition) {
      throw new LocalError(
        'revision_active',
        `${revision} serves calls, or a promotion is on its way; nothing was removed.`,
        'Promote another one first.',
      );
    }
    await changeDesired(stateDir, (now) => {
      if (now.active === revision && !isRefused(observed, revision)) {
        throw new LocalError(
          'revision_active',
          `${revision} is the one that should serve; nothing was removed.`,
          'Promote another one first.',
        );
      }
      const { candidate, programs, ...rest } = now;
      if (candidate !== revision && programs !== revision && now.active !== revision) return now;
      return {
        ...rest,
        ...(now.active === revision && observed?.active ? { active: observed.active.revision } : {}),
        ...(candidate && candidate !== revision ? { candidate } : {}),
        ...(programs && programs !== revision ? { programs } : {}),
      };
    });
    if (observed && up && observed.candidate?.revision === revision)
      await waitFor(stateDir, (now) => now.candidate?.revision !== revision);
    const now = (await readObserved(stateDir)).observed;
    if (now && isUsed(now)) {
      throw new LocalError(
        'revision_in_use',
        `${revision} still runs as ${usesOf(now, revision).join(' and ')}; it was not removed.`,
        'herdr-mcp runtime status says what it waits for.',
      );
    }
    const was = await readRevision(stateDir, revision);
    await deleteRevision(stateDir, revision);
    told(
      args.json,
      { revision, removed: was !== undefined },
      was ? `${revision} is removed.` : `${revision} is not here.`,
    );
  },
);

/** Asks for it and says how it ended; a failure is one. */
async function goTo(stateDir: string, revision: string, asJson: boolean | undefined): Promise<void> {
  const { change } = await changeDesired(stateDir, ({ candidate: _, ...now }) => ({ ...now, active: revision }));
  await outcome(stateDir, asJson, change);
}

async function outcome(stateDir: string, asJson: boolean | undefined, change: number): Promise<void> {
  const observed = await waitFor(stateDir, (now) => now.change >= change);
  const last = observed.last_transition;
  if (last === undefined || last.outcome === 'promoted') {
    const active = observed.active?.revision ?? '';
    return told(
      asJson,
      { revision: active, outcome: 'promoted', previous: observed.previous ?? null },
      `Calls go to ${active}.`,
    );
  }
  const what = {
    rolled_back: `${last.to} did not do well and was rolled back; ${last.from} serves.`,
    failed: `${last.to} was not promoted; ${last.from ?? 'the one before'} serves on.`,
    refused: `${last.to} is refused.`,
  }[last.outcome];
  const next =
    last.outcome === 'failed' ? 'Mend it and stage it again.' : 'Stage another revision: this one stays refused.';
  throw new LocalError(last.code ?? last.outcome, `${what} ${last.reason ?? ''}`.trim(), next);
}

function usesOf(observed: Observed, revision: string): string[] {
  return observed.children.filter((child) => child.revision === revision && child.process).map(({ name }) => name);
}

const isRefused = (observed: Observed | undefined, revision: string): boolean =>
  observed?.refused.some((one) => one.revision === revision) ?? false;

const isUnderWay = (observed: Observed, wanted: string | undefined): boolean =>
  observed.transition !== undefined ||
  (wanted !== undefined && wanted !== observed.active?.revision && !isRefused(observed, wanted));

function refuseRefused(observed: Observed, revision: string): void {
  const refused = observed.refused.find((one) => one.revision === revision);
  if (!refused) return;
  throw new LocalError(
    'revision_refused',
    `${revision} was rolled back before and stays refused: ${refused.reason}`,
    'Stage another revision; nothing was changed.',
  );
}

async function requireRevision(stateDir: string, revision: string): Promise<void> {
  if (await readRevision(stateDir, revision)) return;
  throw new LocalError(
    'revision_absent',
    `The revision ${revision} is not here, so nothing was moved.`,
    'herdr-mcp runtime status lists the ones that are.',
  );
}

const notAnyMore = (revision: string) =>
  new LocalError(
    'not_staged_any_more',
    `Another command took ${revision} away meanwhile.`,
    'herdr-mcp runtime status says what is wanted now.',
  );

const notReady = (revision: string, candidate: NonNullable<Observed['candidate']>) =>
  new LocalError(
    candidate.code ?? 'not_ready',
    `${revision} is not ready. ${candidate.reason ?? ''}`.trim(),
    'What serves goes on serving. Mend it and stage it again; its log is in the state folder’s logs.',
  );

function told(asJson: boolean | undefined, facts: Record<string, unknown>, sentence: string): void {
  if (asJson) sayJson(facts);
  else say(sentence);
}
