/**
 * The calls of a round: which may start now, and what an answer makes of one. Reads run beside each other; a change runs
 * alone and after everything before it. A call that may have run is asked for again only under its key, under which the
 * runtime gives the first answer instead of acting twice; without a key it is told to be uncertain. Pure.
 */
import type { SiteId } from '../../page.ts';
import { type Catalogue, classOf, takesKey } from './catalogue.ts';
import type { BridgeCall, CallOutcome } from './events.ts';
import type { Asked } from './grammar.ts';
import { CALL_AGAIN_MS, KEY_TRUST_MS, READ_TRIES_MAX, READS_AT_ONCE_MAX, WRITE_TRIES_MAX } from './limits.ts';
import { entryOf, failure, isRefusal } from './results.ts';
import type { BridgeState, Call, Loop, Round } from './state.ts';

/** The ledger's entries for a reply. A tool that the live list does not have is answered, not asked for. */
export function callsOf(asked: readonly Asked[], catalogue: Catalogue, loop: string, answers: number): Call[] {
  const calls: Call[] = [];
  for (const [index, { tool, args }] of asked.entries()) {
    const known = catalogue.tools.find(({ name }) => name === tool);
    const kind = classOf(tool, args);
    const before = calls[index - 1];
    const isSame =
      before !== undefined &&
      kind === 'read' &&
      before.tool === tool &&
      JSON.stringify(before.args) === JSON.stringify(args);
    const keyed = known !== undefined && kind === 'write' && takesKey(known);
    calls.push({
      tool,
      args,
      class: kind,
      keyed,
      key: keyed && args['idempotency_key'] === undefined ? `${loop}:${answers}:${index}` : null,
      same: isSame ? (before.same ?? index - 1) : null,
      state: known === undefined ? 'done' : 'planned',
      attempt: 0,
      since: 0,
      sentAt: 0,
      result:
        known === undefined
          ? failure(index, tool, 'unknown-tool', 'The live list of tools has no tool of this name. Nothing was run.')
          : null,
    });
  }
  return calls;
}

export const isDone = (round: Round): boolean => round.calls.every(({ state }) => state === 'done');

/** Starts what may start now. */
export function start(loop: Loop, now: number): { loop: Loop; effects: BridgeCall[] } {
  const { round } = loop;
  if (round === null || round.posted || loop.paused !== null) return { loop, effects: [] };
  const effects: BridgeCall[] = [];
  let next = loop;
  for (const index of startable(round.calls)) {
    const sent = send(next, index, now, 0);
    next = sent.loop;
    effects.push(...sent.effects);
  }
  return { loop: next, effects };
}

function startable(calls: readonly Call[]): number[] {
  const running = calls.filter(({ state }) => state === 'executing');
  if (running.some((call) => call.class === 'write')) return [];
  const found: number[] = [];
  for (const [index, call] of calls.entries()) {
    if (call.state !== 'planned' || call.same !== null) continue;
    const beside = running.length + found.length;
    if (call.class === 'write') return beside === 0 && isAllDoneBefore(calls, index) ? [index] : found;
    if (beside >= READS_AT_ONCE_MAX) return found;
    found.push(index);
  }
  return found;
}

/** An equal read that waits for its twin is done as soon as the twin is. */
const isAllDoneBefore = (calls: readonly Call[], index: number): boolean =>
  calls.slice(0, index).every(({ state }) => state === 'done');

/** Writes `executing` down; the effect is carried out after that is in the storage. */
function send(loop: Loop, index: number, now: number, afterMs: number): { loop: Loop; effects: BridgeCall[] } {
  const { round, conversation } = loop;
  const call = round?.calls[index];
  if (!round || !call) return { loop, effects: [] };
  const attempt = call.attempt + 1;
  const since = call.state === 'planned' ? now : call.since;
  const sent: Call = { ...call, state: 'executing', attempt, since, sentAt: now + afterMs };
  const args = call.key === null ? call.args : { ...call.args, idempotency_key: call.key };
  const { tool } = call;
  return {
    loop: withCall(loop, index, sent),
    effects: [{ type: 'bridge_call', conversation, answers: round.answers, index, attempt, tool, args, afterMs }],
  };
}

/** What became of a call that is under way. */
export function settle(
  loop: Loop,
  index: number,
  outcome: CallOutcome,
  now: number,
): { loop: Loop; effects: BridgeCall[] } {
  const call = loop.round?.calls[index];
  if (call?.state !== 'executing') return { loop, effects: [] };
  // A refusal speaks of the attempt that it answers; an earlier one of the same change may have run all the same.
  const isRepeated = call.class === 'write' && call.attempt > 1;
  switch (outcome.kind) {
    case 'answered':
      if (isRepeated && isRefusal(outcome.answer)) return again(loop, index, { kind: 'unknown', why: 'refused' }, now);
      return start(withResult(loop, index, entryOf(index, call.tool, outcome.answer)), now);
    case 'refused':
      if (isRepeated) return again(loop, index, { kind: 'unknown', why: outcome.error }, now);
      return start(withResult(loop, index, failure(index, call.tool, outcome.error, outcome.detail)), now);
    case 'not_sent':
    case 'unknown':
      return again(loop, index, outcome, now);
  }
}

/** Nothing was heard of it, or it did not go out. */
export function again(
  loop: Loop,
  index: number,
  outcome: Extract<CallOutcome, { kind: 'unknown' | 'not_sent' }>,
  now: number,
): { loop: Loop; effects: BridgeCall[] } {
  const call = loop.round?.calls[index];
  if (call?.state !== 'executing') return { loop, effects: [] };
  const giveUp = (entry: ReturnType<typeof failure>) => start(withResult(loop, index, entry), now);
  const { tool } = call;
  const pause = CALL_AGAIN_MS[Math.min(call.attempt, CALL_AGAIN_MS.length) - 1] ?? 0;
  // Only the first attempt can say that nothing was sent; before another one something may have been.
  const mayHaveRun = outcome.kind === 'unknown' || call.attempt > 1;
  if (call.class === 'read' || !mayHaveRun) {
    if (call.attempt >= READ_TRIES_MAX) return giveUp(failure(index, tool, 'runtime_unavailable', UNREACHED));
    if (loop.paused !== 'stopped') return send(loop, index, now, pause);
    return giveUp(failure(index, tool, 'stopped', 'The person stopped the tools before this was answered.'));
  }
  const isOld = now - call.since > KEY_TRUST_MS || call.attempt >= WRITE_TRIES_MAX;
  if (!call.keyed || loop.paused === 'stopped' || isOld) {
    return giveUp(failure(index, tool, 'delivery_unknown', doubtful(call)));
  }
  return send(loop, index, now, pause);
}

const UNREACHED = 'The local runtime did not answer. Nothing was changed by this call; ask again when it is back.';

function doubtful(call: Call): string {
  const key = call.key ?? call.args['idempotency_key'];
  const look =
    typeof key === 'string'
      ? ` Look it up: {"tool":"herdr_call","args":{"method":"herdr_mcp.dispatch.status","params":${JSON.stringify(JSON.stringify({ idempotency_key: key }))}}}.`
      : ' Look at what it would have changed.';
  return `No answer came, so this change may have happened or not. It was not repeated.${look}`;
}

/** The result of a call, and of the equal reads behind it. */
function withResult(loop: Loop, index: number, result: NonNullable<Call['result']>): Loop {
  const { round } = loop;
  if (!round) return loop;
  const calls = round.calls.map((call, at): Call => {
    if (at !== index && call.same !== index) return call;
    return { ...call, state: 'done', result: { ...result, index: at } };
  });
  return { ...loop, round: { ...round, calls } };
}

function withCall(loop: Loop, index: number, call: Call): Loop {
  const { round } = loop;
  if (!round) return loop;
  return { ...loop, round: { ...round, calls: round.calls.map((one, at) => (at === index ? call : one)) } };
}

/** What has not begun will not: a person has said something else meanwhile. */
export function cancelled(loop: Loop, why: string): Loop {
  const { round } = loop;
  if (!round || round.posted) return loop;
  const calls = round.calls.map((call, index): Call => {
    if (call.state !== 'planned') return call;
    return { ...call, state: 'done', same: null, result: failure(index, call.tool, 'cancelled', why) };
  });
  return { ...loop, round: { ...round, calls } };
}

/** Asked right before a call leaves: nothing was stopped or switched off since it was decided. */
export function isStillWanted(
  state: BridgeState,
  { conversation, answers, index, attempt }: BridgeCall,
  isOn: (site: SiteId) => boolean,
): boolean {
  const loop = state.loops[conversation];
  const call = loop?.round?.answers === answers ? loop.round.calls[index] : undefined;
  if (!loop || !isOn(loop.site) || loop.paused === 'stopped' || state.off[conversation]) return false;
  return call?.state === 'executing' && call.attempt === attempt;
}
