/** What a machine really does: it is run from its first states with every event, and so on with what comes of that. */

export interface Edge {
  from: string;
  to: string;
  /** The event, in the words of the page. */
  on: string;
}

export interface Explored<S, E> {
  starts: readonly S[];
  /** Every kind of event that can happen to this state, with the name that the picture shows. */
  events(state: S): readonly { on: string; event: E }[];
  step(state: S, event: E): S;
  phase(state: S): string;
}

/** More states than a machine of these has; reaching it means that `events` makes each state new. */
const STATES_MAX = 20_000;

/** All arrows between phases. Two states that print alike are one. */
export function explore<S, E>({ starts, events, step, phase }: Explored<S, E>): Edge[] {
  const seen = new Map(starts.map((state) => [JSON.stringify(state), state]));
  const edges = new Map<string, Edge>();
  for (const state of seen.values()) {
    for (const { on, event } of events(state)) {
      const next = step(state, event);
      const edge = { from: phase(state), to: phase(next), on };
      edges.set(`${edge.from}\n${edge.to}\n${on}`, edge);
      const key = JSON.stringify(next);
      if (!seen.has(key)) seen.set(key, next);
    }
    if (seen.size > STATES_MAX) throw new Error('this machine has too many states to be drawn');
  }
  return [...edges.values()];
}
