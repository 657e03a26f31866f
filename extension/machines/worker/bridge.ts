/** The JSON bridge inside the worker's decisions: its ledger is a section of the state, its messages are deliveries. Pure. */
import type { PageIdentity } from '../../page.ts';
import { isOn, POLICIES } from '../../policy.ts';
import { type BridgeEvent, bridgeStep, provenBy, repliedIn } from '../bridge/index.ts';
import { arrive } from './binding.ts';
import { looked } from './delivery.ts';
import { DONE, type Planned, type Step } from './events.ts';
import { advance } from './plan.ts';
import type { State } from './state.ts';

const envOf = (state: State, now: number) => ({
  now,
  isOn: (site: PageIdentity['site']) => POLICIES[site].bridge && isOn(site, state.config.sites),
});

/** Something happened to a bridge. What it owes its conversation goes out at once when the page is quiet. */
export function bridged(
  state: State,
  event: BridgeEvent,
  now: number,
  from: { page: PageIdentity; tab: number } | null,
): Step {
  const proven = event.type === 'turn' ? provenIn(state, event, now) : state;
  const done = bridgeStep(proven.bridge, event, envOf(proven, now));
  const { conversation } = 'conversation' in event ? event : { conversation: null };
  const bridge = event.type === 'turn' && from !== null ? repliedIn(done.bridge, event, from.tab) : done.bridge;
  let next: State = bridge === proven.bridge ? proven : { ...proven, bridge };
  // The chat that a person began here is this one: what waited for it belongs to it.
  const isBorn = conversation !== null && !proven.bridge.loops[conversation] && event.type === 'turn';
  if (isBorn && from !== null && next.bridge.loops[conversation])
    next = arrive(next, { ...from.page, born: true }, from.tab);
  // What a person has just said still stands in their composer: the page takes it out, and says so.
  const waits = conversation === null || event.type === 'say';
  const moved = waits ? { state: next, effects: [] } : advance(next, conversation, now);
  const reply = done.reason === null ? DONE : ({ ok: false, reason: done.reason } as const);
  return { state: moved.state, effects: [...done.effects, ...moved.effects], reply };
}

/** A message with the number of one that was submitted stands in the conversation: it has arrived. */
function provenIn(state: State, event: Extract<BridgeEvent, { type: 'turn' }>, now: number): State {
  const { conversation, turn } = event;
  const delivery = provenBy(state.bridge, conversation, turn.loop, turn.n);
  return delivery === null ? state : looked(state, delivery, { arrived: 'yes' }, now).state;
}

/** At a start of the worker, and every half minute: calls of which nobody has heard. */
export function bridgeTime({ state, effects }: Planned, type: 'started' | 'tick', now: number): Planned {
  const done = bridgeStep(state.bridge, { type }, envOf(state, now));
  if (done.bridge === state.bridge && done.effects.length === 0) return { state, effects };
  return { state: { ...state, bridge: done.bridge }, effects: [...effects, ...done.effects] };
}
