/**
 * The bridge's one decision. It is told what a page shows and what the runtime said, and says what may be asked of the
 * runtime next; the caller writes the state down before it does anything. Pure.
 */
import { fnv1a } from '../../fnv.ts';
import type { BridgeControl, BridgeTurn, Reason } from '../../messages.ts';
import type { SiteId } from '../../page.ts';
import { again, callsOf, cancelled, settle, start } from './calls.ts';
import type { Catalogue } from './catalogue.ts';
import type { BridgeCall, BridgeEnv, BridgeEvent, BridgeStep } from './events.ts';
import { parseReply } from './grammar.ts';
import {
  CALL_SILENT_MS,
  ENTRIES_KEPT,
  LAUNCH_MS,
  REPAIRS_MAX,
  REPLY_LATE_MS,
  REPLY_MS,
  ROUNDS_DEFAULT,
  ROUNDS_MORE,
  SAID_CHARS_MAX,
} from './limits.ts';
import { intro, REPAIR } from './protocol.ts';
import { awaits, type BridgeState, type Loop, openRound, type Round, withLaunch, withLoop } from './state.ts';

const still = (bridge: BridgeState, reason: Reason | null = null): BridgeStep => ({ bridge, effects: [], reason });

export function bridgeStep(state: BridgeState, event: BridgeEvent, env: BridgeEnv): BridgeStep {
  switch (event.type) {
    case 'launch':
      return launch(state, event, env);
    case 'launch_claim':
      return launchClaim(state, event.id, env);
    case 'say':
      return say(state, event, env);
    case 'turn':
      return turn(state, event, env);
    case 'called':
      return called(state, event, env);
    case 'control':
      return control(state, event, env);
    case 'unnamed':
      if (state.unnamed[event.conversation]) return still(state);
      return still({ ...state, unnamed: { ...state.unnamed, [event.conversation]: true } });
    case 'started':
      return unheard(state, env, () => true);
    case 'tick':
      return unheard(unanswered(state, env), env, (sentAt) => env.now - sentAt > CALL_SILENT_MS);
  }
}

function launch(state: BridgeState, event: Extract<BridgeEvent, { type: 'launch' }>, env: BridgeEnv): BridgeStep {
  if (!env.isOn(event.site)) return still(state, 'bridge_off');
  // The same press asked for again is the same launch; one that was submitted is over.
  const known = state.launches[event.id];
  if (known?.claimed) return still(state, 'wake_in_flight');
  const { site, id, catalogue } = event;
  return still(withLaunch(state, id, { site, digest: catalogue.digest, claimed: false, at: env.now }));
}

/** Once: the page presses Send after this, and nobody else does. */
function launchClaim(state: BridgeState, id: string, env: BridgeEnv): BridgeStep {
  const known = state.launches[id];
  if (!known || known.claimed || !env.isOn(known.site)) return still(state, known ? 'wake_in_flight' : 'bridge_off');
  return still(withLaunch(state, id, { ...known, claimed: true }));
}

function say(state: BridgeState, event: Extract<BridgeEvent, { type: 'say' }>, env: BridgeEnv): BridgeStep {
  const { conversation, site, entry, text, catalogue } = event;
  if (!env.isOn(site) || state.off[conversation]) return still(state, 'bridge_off');
  if (text.trim() === '') return still(state, 'empty_text');
  if (text.length > SAID_CHARS_MAX) return still(state, 'queue_entry_too_long');
  const loop = state.loops[conversation] ?? newLoop(event.loop, site, conversation, env.now);
  if (loop.entries.includes(entry)) return still(state);
  const explained = loop.taught === catalogue.digest ? null : { text: intro(catalogue), digest: catalogue.digest };
  const next = cancelled(loop, 'The person wrote something else before this call began. It was not run.');
  return still(
    withLoop(state, {
      ...next,
      said: [...loop.said, { entry, text, intro: explained }],
      entries: [...loop.entries, entry].slice(-ENTRIES_KEPT),
      closed: loop.paused === 'stopped' ? loop.at : loop.closed,
      used: 0,
      budget: ROUNDS_DEFAULT,
      repairs: 0,
      // A message in doubt stays a person's decision.
      paused: loop.doubt === null ? null : 'uncertain',
      refusals: 0,
      notBefore: 0,
      updatedAt: env.now,
    }),
  );
}

function newLoop(id: string, site: SiteId, conversation: string, now: number): Loop {
  return {
    id,
    site,
    conversation,
    n: 0,
    at: 0,
    atMs: 0,
    closed: 0,
    answered: true,
    used: 0,
    budget: ROUNDS_DEFAULT,
    repairs: 0,
    round: null,
    sending: null,
    doubt: null,
    said: [],
    entries: [],
    taught: null,
    paused: null,
    refusals: 0,
    notBefore: 0,
    updatedAt: now,
  };
}

/** A page shows a message of ours at the conversation's end, perhaps with a whole reply behind it. */
function turn(state: BridgeState, event: Extract<BridgeEvent, { type: 'turn' }>, env: BridgeEnv): BridgeStep {
  const { conversation, site, turn: seen } = event;
  if (!env.isOn(site) || state.off[conversation]) return still(state, 'bridge_off');
  const known = adopted(state, event, env);
  const loop = known.loops[conversation];
  // Without a loop of ours that says so, a conversation proves nothing by what stands in it.
  if (!loop || loop.id !== seen.loop || loop.site !== site || seen.n > loop.at) return still(known, 'unbound');
  if (seen.reply === null || seen.n < loop.at || seen.n <= loop.closed) return still(known);
  if (loop.paused === 'stopped') return still(known, 'bridge_stopped');
  const print = printOf(seen.reply.text);
  const taken = loop.round?.answers === seen.n ? loop.round : null;
  if (taken !== null && (taken.print === print || taken.posted)) return still(known);
  if (taken !== null && hasBegun(taken)) return still(replaced(known, loop, taken, seen.reply.text));
  // Results of an earlier reply are told first.
  if (openRound(loop) !== null && taken === null) return still(known, 'wake_in_flight');
  if (event.catalogue === null) return still(known, 'runtime_unavailable');
  const isLate = env.now - loop.atMs > REPLY_LATE_MS && parseReply(seen.reply.text).kind !== 'none';
  if (isLate) return still(withLoop(known, { ...loop, paused: 'stopped', updatedAt: env.now }), 'bridge_stopped');
  return take(known, loop, { ...seen, reply: seen.reply }, print, event.catalogue, env.now);
}

/** A first message has got its chat: the loop is that chat's from now on, and of no other one. */
function adopted(state: BridgeState, event: Extract<BridgeEvent, { type: 'turn' }>, { now }: BridgeEnv): BridgeState {
  const { conversation, site, turn: seen } = event;
  const first = state.launches[seen.loop];
  if (!first?.claimed || first.site !== site || seen.n !== 1 || now - first.at > LAUNCH_MS) return state;
  if (state.loops[conversation]) return state;
  const { [seen.loop]: _over, ...launches } = state.launches;
  const loop = newLoop(seen.loop, site, conversation, now);
  return withLoop(
    { ...state, launches },
    { ...loop, n: 1, at: 1, atMs: now, answered: false, taught: first.digest, entries: [seen.loop] },
  );
}

/** Written anew, or gone on, after its calls began: none of the new ones runs, and the model must not mistake the results. */
function replaced(state: BridgeState, loop: Loop, round: Round, text: string): BridgeState {
  const parsed = parseReply(text);
  const asked = parsed.kind === 'calls' ? parsed.calls.map(({ tool, args }) => ({ tool, args })) : [];
  const ran = round.calls.map(({ tool, args }) => ({ tool, args }));
  const next = { ...round, replaced: JSON.stringify(asked) !== JSON.stringify(ran) };
  return round.replaced === next.replaced ? state : withLoop(state, { ...loop, round: next });
}

const hasBegun = ({ calls }: Round): boolean => calls.some(({ attempt }) => attempt > 0);

function take(
  state: BridgeState,
  loop: Loop,
  seen: BridgeTurn & { reply: NonNullable<BridgeTurn['reply']> },
  print: string,
  catalogue: Catalogue,
  now: number,
): BridgeStep {
  const parsed = parseReply(seen.reply.text);
  const answered = { ...loop, answered: true, updatedAt: now };
  // A reply that grew after it was taken for whole: what had been planned from its beginning is planned anew.
  const before = loop.round?.answers === seen.n ? { ...answered, used: loop.used - 1 } : answered;
  if (parsed.kind === 'none') return still(withLoop(state, { ...before, repairs: 0, round: dropped(loop, seen.n) }));
  const used = before.used + 1;
  const round = { answers: seen.n, message: seen.reply.message, print, posted: false };
  const exact = parsed.kind === 'calls' ? callsOf(parsed.calls, catalogue, loop.id, seen.n) : [];
  const isUnfenced =
    parsed.kind === 'calls' && parsed.calls.some(({ fenced }, index) => !fenced && exact[index]?.class === 'write');
  const flaw = parsed.kind === 'flawed' ? parsed.flaw : isUnfenced ? 'unfenced' : null;
  if (flaw !== null) {
    const repairs = before.repairs + 1;
    // Two answers beside each other: asking both once more makes it no clearer.
    const asks = repairs <= REPAIRS_MAX && flaw !== 'several';
    const paused = asks ? pausedBy(used, before.budget) : 'repairs';
    return still(
      withLoop(state, { ...before, used, repairs, paused, round: { ...round, calls: [], problem: REPAIR[flaw] } }),
    );
  }
  const next: Loop = {
    ...before,
    used,
    repairs: 0,
    paused: pausedBy(used, before.budget),
    round: { ...round, calls: exact, problem: null },
  };
  return begun(state, start(next, now));
}

const pausedBy = (used: number, budget: number): Loop['paused'] => (used > budget ? 'budget' : null);

const dropped = ({ round }: Loop, n: number): Round | null => (round?.answers === n ? null : round);

function begun(state: BridgeState, { loop, effects }: { loop: Loop; effects: readonly BridgeCall[] }): BridgeStep {
  return { bridge: withLoop(state, loop), effects, reason: null };
}

function called(state: BridgeState, event: Extract<BridgeEvent, { type: 'called' }>, env: BridgeEnv): BridgeStep {
  const loop = state.loops[event.conversation];
  const call = loop?.round?.answers === event.answers ? loop.round.calls[event.index] : undefined;
  // An answer that comes late is an answer, whichever attempt it is of; that nothing was heard is only news of the last.
  const isNews = call?.attempt === event.attempt || event.outcome.kind === 'answered';
  if (!loop || !isNews) return still(state);
  const held =
    env.isOn(loop.site) && !state.off[event.conversation] ? loop : { ...loop, paused: loop.paused ?? 'stopped' };
  return begun(state, settle(held, event.index, event.outcome, env.now));
}

function control(state: BridgeState, event: Extract<BridgeEvent, { type: 'control' }>, env: BridgeEnv): BridgeStep {
  const { conversation, what } = event;
  if (what === 'off') {
    const loop = state.loops[conversation];
    const stopped = loop ? withLoop(state, { ...loop, paused: 'stopped', updatedAt: env.now }) : state;
    return still({ ...stopped, off: { ...state.off, [conversation]: true } });
  }
  if (what === 'on') {
    const { [conversation]: _off, ...off } = state.off;
    return still({ ...state, off });
  }
  const loop = state.loops[conversation];
  if (!loop) return still(state, 'unbound');
  if (what !== 'stop' && (!env.isOn(event.site) || state.off[conversation])) return still(state, 'bridge_off');
  const changed = controlled(loop, what, env.now);
  return changed === null ? still(state, 'nothing_settled') : begun(state, start(changed, env.now));
}

/** Null: there is nothing that this would change. */
function controlled(loop: Loop, what: Exclude<BridgeControl, 'on' | 'off'>, now: number): Loop | null {
  const next = { ...loop, updatedAt: now };
  // A message in doubt stays a person's decision, whatever else had stopped.
  const goingOn = loop.doubt === null ? null : 'uncertain';
  switch (what) {
    case 'stop':
      return { ...next, paused: 'stopped' };
    case 'extend':
      return { ...next, budget: loop.budget + ROUNDS_MORE, paused: loop.paused === 'budget' ? goingOn : loop.paused };
    case 'resume':
      if (loop.paused !== 'stopped' && loop.paused !== 'repairs') return null;
      return { ...next, atMs: now, repairs: 0, refusals: 0, paused: goingOn ?? pausedBy(loop.used, loop.budget) };
    case 'post_again':
      if (loop.doubt === null && loop.paused !== 'refused') return null;
      return { ...next, doubt: null, paused: pausedBy(loop.used, loop.budget), refusals: 0, notBefore: 0 };
  }
}

/** A model that does not answer is not waited for for ever: other messages may go out again. */
function unanswered(state: BridgeState, { now }: BridgeEnv): BridgeState {
  let next = state;
  for (const loop of Object.values(state.loops)) {
    if (awaits(loop) && now - loop.atMs > REPLY_MS) next = withLoop(next, { ...loop, answered: true });
  }
  return next;
}

/** Calls of which nobody will say anything any more. What was stopped or switched off is left as it is. */
function unheard(state: BridgeState, env: BridgeEnv, isOver: (sentAt: number) => boolean): BridgeStep {
  let bridge = state;
  const effects: BridgeCall[] = [];
  for (const found of Object.values(state.loops)) {
    if (!env.isOn(found.site) || state.off[found.conversation]) continue;
    let loop = found;
    for (const [index, call] of (openRound(found)?.calls ?? []).entries()) {
      if (call.state !== 'executing' || !isOver(call.sentAt)) continue;
      const sent = again(loop, index, { kind: 'unknown', why: 'no_answer' }, env.now);
      loop = sent.loop;
      effects.push(...sent.effects);
    }
    const started = start(loop, env.now);
    effects.push(...started.effects);
    if (started.loop !== found) bridge = withLoop(bridge, started.loop);
  }
  return { bridge, effects, reason: null };
}

/** The same reply told twice has the same print. */
const printOf = (text: string): string => `${text.length}:${fnv1a(text)}`;
