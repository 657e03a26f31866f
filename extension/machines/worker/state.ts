/** Everything that the service worker remembers. Plain JSON: it is in storage before anything is done about it. */
import type { Language } from '../../../look/words/index.ts';
import type { AccountMark, Baseline, DeliveryKind, PageState, Reason, RuntimeStatus } from '../../messages.ts';
import type { PageIdentity, SiteId } from '../../page.ts';
import type { Actuation, Awaited } from '../actuation/index.ts';
import type { Auto, Services } from '../auto/index.ts';
import { type BridgeState, NO_BRIDGE } from '../bridge/index.ts';
import type { Cutover, Handed, Transfer } from '../handoff/index.ts';
import type { Pressure } from '../pressure/index.ts';
import { NO_RECOVERY, type Recovery } from '../recovery/index.ts';
import type { Activity, Pending, Progress } from './at-work.ts';
import type { Claims } from './claims.ts';
import { FALLBACK_SECONDS_DEFAULT, TICK_SECONDS_DEFAULT } from './limits.ts';

export type Scope = 'conversation' | 'project' | 'pending';

/** One browser scope bound to one workspace. Never to an agent, and never by a label. */
export interface Binding {
  /** `<scope key>::<server>/<workspace>`. */
  id: string;
  scope: Scope;
  /** Project key, conversation key, or `tab:<id>` while the tab shows neither. */
  scopeKey: string;
  site: SiteId;
  project: { id: string; name: string | null } | null;
  /** Herdr's server: the same workspace id at another one is another workspace. */
  server: string;
  workspace: string;
  /** For display; taken from the live catalogue. */
  label: string;
  /** The chat that receives messages (a Project's active conversation); null before there is one. */
  target: { conversation: string; url: string } | null;
  /** Where the target was last open; a hint. */
  tab: number | null;
  continuityId: string;
  /** Grows when the row is moved or re-targeted, so that an older intention is seen to be older. */
  revision: number;
  createdAt: number;
  activity: Activity;
  /** The connector that every message of ours must select; null until one was learnt. */
  connector: string | null;
}

export interface Delivery {
  id: string;
  kind: DeliveryKind;
  conversation: string;
  /** Null once it is finished. */
  text: string | null;
  /** Names the text, also when it is forgotten: a turn that a page shows late is known by it. */
  print: string;
  /** The site's own id of its turn; null while that is not known. */
  messageId: string | null;
  /** A page has reported its turn: what that means was done then. */
  turnSeen: boolean;
  /** Its answer has ended, although it is not known yet that it was sent. */
  answered?: boolean;
  /** Pressed by a person: it does not wait, and Auto is not asked. */
  manual: boolean;
  /** The rows it speaks for, as they were. Without them it is about nothing any more. */
  bindings: readonly { id: string; revision: number }[];
  /** The inbox entries that it tells of; acknowledged only after it was sent. */
  tasks: { session: string; ids: readonly string[]; acknowledged: boolean } | null;
  /** Another browser that has the chat does not do it too. Absent: nobody else would. */
  claims?: Claims;
  queued: readonly string[];
  connector: string | null;
  /** What to give back when nothing was sent. */
  restore: { pending: Readonly<Record<string, Pending>>; progress: Readonly<Record<string, Progress>> };
  /** `elsewhere`: another browser has done it. */
  state: 'planned' | 'handed' | 'submitting' | 'sent' | 'blocked' | 'uncertain' | 'elsewhere';
  attempt: number;
  tab: number | null;
  document: string | null;
  baseline: Baseline | null;
  reason: Reason | null;
  /** The account that it is for; absent: none in particular. */
  account?: AccountMark;
  createdAt: number;
  updatedAt: number;
  lookedAt: number;
}

export interface QueueEntry {
  id: string;
  text: string;
  createdAt: number;
}

export interface Queue {
  entries: readonly QueueEntry[];
  /** Ids of a batch that was submitted and never confirmed. */
  uncertain: readonly string[];
  /** Not before then: the page refused a moment ago. */
  notBefore: number;
}

export interface Config {
  /** Options: Projects may have Auto at all. */
  projectPermission: boolean;
  progressTickSec: number;
  /** 0: only new output is a reason. */
  progressFallbackSec: number;
  /** Null: the words of the language. */
  continueMessage: string | null;
  /** What a settle and progress are told with, placeholders in braces. Null: the words of the language. */
  settledTemplate: string | null;
  progressTemplate: string | null;
  /** Null: as the browser says. */
  language: Language | null;
  /** Sites that the person switched on, of those that are asked for one by one. */
  sites: readonly SiteId[];
}

/** What stood in the way of nothing: events that came too late or twice, by why. */
const STALE = [
  'other_boot',
  'position_handled',
  'sequence_handled',
  'never_working',
  'workspace_retired',
  'binding_changed',
  'attempt_over',
  'other_version',
] as const;
export type Stale = (typeof STALE)[number];

export interface Tab {
  document: string;
  version: string;
  page: PageIdentity;
  state: PageState;
  /** Since when it shows the whole conversation, as far as it was told, and when a turn was last seen in it. */
  shownAt?: number;
  turnAt?: number;
}

export interface State {
  bindings: Readonly<Record<string, Binding>>;
  retired: readonly {
    id: string;
    label: string;
    scopeKey: string;
    why: 'workspace_closed' | 'server_changed';
    at: number;
  }[];
  deliveries: Readonly<Record<string, Delivery>>;
  queues: Readonly<Record<string, Queue>>;
  auto: { projects: Readonly<Record<string, true>>; conversations: Readonly<Record<string, true>> };
  /** Conversations whose handover runs: nothing automatic leaves them, and their Project keeps its target. */
  transfers: Readonly<Record<string, Transfer>>;
  /** Handovers that are over, by their source, and what of them the runtime has yet to confirm. */
  handed: Readonly<Record<string, Handed>>;
  cutovers: Readonly<Record<string, Cutover>>;
  /** Handovers that a person has ended, until the delivery service has said that nothing comes of them any more. */
  endings: Readonly<Record<string, Transfer>>;
  /** What this browser does for the delivery service, and the answers that it waits for, by dispatch. */
  actuations: Readonly<Record<string, Actuation>>;
  awaited: Readonly<Record<string, Awaited>>;
  /** Auto's decisions about answers, and how long conversations have grown, each by conversation. */
  judges: Readonly<Record<string, Auto>>;
  pressures: Readonly<Record<string, Pressure>>;
  /** Which small models the runtime can ask; null: not known. */
  services: (Services & { at: number }) | null;
  /** The health of conversations and of sites: what was found, and what has been spent to heal it. */
  recovery: Recovery;
  /** The tool loops of chats without a connector, and the ledger of their calls. */
  bridge: BridgeState;
  stream: { boot: string | null; position: number; herdr: string | null; server: string | null };
  workspaces: readonly { id: string; label: string }[];
  link: RuntimeStatus;
  config: Config;
  stale: Readonly<Record<Stale, number>>;
  /** Session of a conversation at the runtime, and its inbox as last read. */
  sessions: Readonly<Record<string, { ref: string; tasks: TaskCounts | null }>>;
  /** Open chat tabs. They end with the browser. */
  tabs: Readonly<Record<string, Tab>>;
  /** Counts the changes that a bar shows. */
  revision: number;
}

export interface TaskCounts {
  running: number;
  completed: number;
  blocked: number;
  failed: number;
  uncertain: number;
}

export const EMPTY: State = {
  bindings: {},
  retired: [],
  deliveries: {},
  queues: {},
  auto: { projects: {}, conversations: {} },
  transfers: {},
  handed: {},
  cutovers: {},
  endings: {},
  actuations: {},
  awaited: {},
  judges: {},
  pressures: {},
  services: null,
  recovery: NO_RECOVERY,
  bridge: NO_BRIDGE,
  stream: { boot: null, position: 0, herdr: null, server: null },
  workspaces: [],
  link: 'unknown',
  config: {
    projectPermission: false,
    progressTickSec: TICK_SECONDS_DEFAULT,
    progressFallbackSec: FALLBACK_SECONDS_DEFAULT,
    continueMessage: null,
    settledTemplate: null,
    progressTemplate: null,
    language: null,
    sites: [],
  },
  stale: Object.fromEntries(STALE.map((name) => [name, 0])) as Record<Stale, number>,
  sessions: {},
  tabs: {},
  revision: 0,
};

/** What ends with the browser lives in session storage; everything else outlives it. */
export const SESSION_KEYS = ['tabs', 'link', 'sessions', 'services'] as const satisfies readonly (keyof State)[];

/** The state with one more event that changed nothing. */
export function ignored(state: State, why: Stale): State {
  return { ...state, stale: { ...state.stale, [why]: state.stale[why] + 1 } };
}

export function withBinding(state: State, binding: Binding): State {
  return { ...state, bindings: { ...state.bindings, [binding.id]: binding } };
}

export function withDelivery(state: State, delivery: Delivery): State {
  return { ...state, deliveries: { ...state.deliveries, [delivery.id]: delivery } };
}

export const isOpen = ({ state }: Pick<Delivery, 'state'>): boolean =>
  state === 'planned' || state === 'handed' || state === 'submitting';

/** The one message that is on its way to this conversation. */
export function openDelivery(state: State, conversation: string): Delivery | undefined {
  return Object.values(state.deliveries).find((one) => one.conversation === conversation && isOpen(one));
}

/** The rows whose messages this conversation receives. */
export function boundTo(state: State, conversation: string): Binding[] {
  return Object.values(state.bindings).filter(({ target }) => target?.conversation === conversation);
}
