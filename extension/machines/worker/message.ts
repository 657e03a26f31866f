/** A message as it is written down, before any page has it. Pure. */
import type { DeliveryKind } from '../../messages.ts';
import { printOf } from '../auto/index.ts';
import { addressed } from '../bridge/index.ts';
import type { Claims } from './claims.ts';
import { type Binding, boundTo, type Delivery, type State, withDelivery } from './state.ts';

export interface Plan {
  id: string;
  kind: DeliveryKind;
  conversation: string;
  text: string;
  manual?: boolean;
  rows?: readonly Binding[];
  tasks?: Delivery['tasks'];
  claims?: Claims | undefined;
  queued?: readonly string[];
  restore?: Partial<Delivery['restore']>;
  /** Absent: the one that its rows agree on. */
  connector?: string | null;
}

/** Writes a message down; it is not handed to a page yet. */
export function plan(state: State, given: Plan, now: number): State {
  const rows = given.rows ?? [];
  const { id: delivery, kind, conversation } = given;
  const { bridge, text } = addressed(state.bridge, { delivery, kind, conversation, text: given.text }, now);
  return withDelivery(bridge === state.bridge ? state : { ...state, bridge }, {
    id: given.id,
    kind: given.kind,
    conversation: given.conversation,
    text,
    print: printOf(text),
    manual: given.manual ?? false,
    bindings: rows.map(({ id, revision }) => ({ id, revision })),
    tasks: given.tasks ?? null,
    ...(given.claims === undefined || given.claims.keys.length === 0 ? {} : { claims: given.claims }),
    queued: given.queued ?? [],
    connector: given.connector === undefined ? connectorOf(state, given.conversation) : given.connector,
    restore: { pending: {}, progress: {}, ...given.restore },
    state: 'planned',
    ...UNTOLD,
    createdAt: now,
    updatedAt: now,
    lookedAt: now,
  });
}

/** No page has it yet. */
const UNTOLD = {
  attempt: 0,
  tab: null,
  document: null,
  baseline: null,
  reason: null,
  messageId: null,
  turnSeen: false,
};

/** The connector that the rows of this conversation agree on; two different ones are none. */
export function connectorOf(state: State, conversation: string): string | null {
  const known = new Set(boundTo(state, conversation).flatMap(({ connector }) => connector ?? []));
  const [only] = known;
  return known.size === 1 && only !== undefined ? only : null;
}
