/**
 * What the bridge remembers: one loop a conversation, and in it the ledger of the calls of the reply that is being worked
 * on. Plain JSON, in storage before anything is done about it.
 */
import type { BridgeTurn } from '../../messages.ts';
import type { SiteId } from '../../page.ts';
import { LAUNCHES_KEPT, LOOPS_KEPT } from './limits.ts';

/**
 * One call of one reply: planned → executing → done → posted. `executing` is written before it is sent, `done` with its
 * result before anything else follows from it, and what is posted keeps no result.
 */
export interface Call {
  tool: string;
  args: Readonly<Record<string, unknown>>;
  class: 'read' | 'write';
  /** The idempotency key that it is sent under; null where the tool takes none, or the model has given its own. */
  key: string | null;
  /** The tool takes a key, so that the same call may be asked for again without being done again. */
  keyed: boolean;
  /** The earlier equal read right before it, whose result it shares. */
  same: number | null;
  state: 'planned' | 'executing' | 'done' | 'posted';
  attempt: number;
  /** When it was first sent, and last. */
  since: number;
  sentAt: number;
  /** What is told of it: one entry of the list of results. */
  result: Entry | null;
}

/** One entry of a list of results, as the model reads it. */
export interface Entry {
  index: number;
  tool: string;
  ok: boolean;
  result?: unknown;
  error?: string;
  detail?: string;
}

/** The reply that is being worked on. */
export interface Round {
  /** The number of our message that it answers. */
  answers: number;
  /** The site's id of the reply; null where it shows none. */
  message: string | null;
  /** Of its text: the same reply told twice is one. */
  print: string;
  calls: readonly Call[];
  /** Why the reply could not be read; then it has no calls and this is told instead. */
  problem: string | null;
  /** Something else stands in its place since its calls have begun: the model is told which ones ran. */
  replaced?: boolean;
  posted: boolean;
}

/** A message of ours on its way, or in doubt. */
export interface Sending {
  delivery: string;
  n: number;
  /** It carries the results of the round. */
  results: boolean;
  /** Presses of the person whose words it carries. */
  entries: readonly string[];
  /** The catalogue that it teaches; null: none. */
  teaches: string | null;
}

/** A person's words that wait to be sent with the protocol around them. */
export interface Said {
  entry: string;
  text: string;
  /** The explanation of the tools that goes with it, and the catalogue that it is of; null: taught before. */
  intro: { text: string; digest: string } | null;
}

export type Pause = 'stopped' | 'budget' | 'repairs' | 'uncertain' | 'refused';

export interface Loop {
  /** `bl_<16 hex>`; stands in every message of ours, so that a conversation proves by itself which loop it belongs to. */
  id: string;
  site: SiteId;
  conversation: string;
  /** The last number that a message of ours was given. */
  n: number;
  /** The last message of ours that stands in the conversation; 0: none yet. */
  at: number;
  atMs: number;
  /** Replies up to this number run nothing any more: the person stopped, and then said something else. */
  closed: number;
  /** Its answer has been taken. */
  answered: boolean;
  /** Rounds since the person last said something, and how many there may be. */
  used: number;
  budget: number;
  repairs: number;
  round: Round | null;
  sending: Sending | null;
  /** Submitted and never seen: not sent again by itself. */
  doubt: Sending | null;
  said: readonly Said[];
  /** Presses that were handled. */
  entries: readonly string[];
  taught: string | null;
  paused: Pause | null;
  /** How often in a row the page has not taken a message of ours that had been typed into it. */
  refusals: number;
  /** The tab that showed the last reply; absent: none that is known. */
  tab?: number;
  notBefore: number;
  updatedAt: number;
}

/** The first message of a chat that has no address yet. It belongs to whichever chat shows it, once. */
export interface Launch {
  site: SiteId;
  digest: string;
  /** The page was given leave to submit it. */
  claimed: boolean;
  at: number;
}

export interface BridgeState {
  /** By conversation. */
  loops: Readonly<Record<string, Loop>>;
  /** By the loop's id. */
  launches: Readonly<Record<string, Launch>>;
  /** Conversations for which a person switched the tools off. */
  off: Readonly<Record<string, true>>;
  /** Conversations whose site shows no stable ids of messages: their turns are not journaled. */
  unnamed: Readonly<Record<string, true>>;
}

export const NO_BRIDGE: BridgeState = { loops: {}, launches: {}, off: {}, unnamed: {} };

/** A round that is not told yet. */
export const openRound = ({ round }: Loop): Round | null => (round === null || round.posted ? null : round);

/** The model is expected to answer. */
export const awaits = (loop: Loop): boolean => loop.at > 0 && !loop.answered;

/**
 * Nothing else of ours may go into this conversation now: between a call and its results another message would be answered
 * in their place.
 */
export function bridgeBusy(state: BridgeState, conversation: string): boolean {
  const loop = state.loops[conversation];
  if (!loop || loop.paused === 'stopped' || state.off[conversation]) return false;
  return openRound(loop) !== null || loop.said.length > 0 || awaits(loop);
}

export function withLoop(state: BridgeState, loop: Loop): BridgeState {
  return { ...state, loops: dropOldest({ ...state.loops, [loop.conversation]: loop }) };
}

/** A tab shows the answer to our last message: what follows belongs there. */
export function repliedIn(
  state: BridgeState,
  { conversation, turn }: { conversation: string; turn: BridgeTurn },
  tab: number,
): BridgeState {
  const loop = state.loops[conversation];
  if (loop === undefined || loop.id !== turn.loop || loop.at !== turn.n || loop.tab === tab) return state;
  return withLoop(state, { ...loop, tab });
}

function dropOldest(loops: BridgeState['loops']): BridgeState['loops'] {
  const over = Object.keys(loops).length - LOOPS_KEPT;
  if (over <= 0) return loops;
  const idle = Object.values(loops)
    .filter((loop) => openRound(loop) === null && loop.sending === null && loop.said.length === 0)
    .sort((a, b) => a.updatedAt - b.updatedAt)
    .slice(0, over)
    .map(({ conversation }) => conversation);
  return Object.fromEntries(Object.entries(loops).filter(([conversation]) => !idle.includes(conversation)));
}

export function withLaunch(state: BridgeState, id: string, launch: Launch): BridgeState {
  const { [id]: _before, ...others } = state.launches;
  const kept = Object.entries(others).slice(-(LAUNCHES_KEPT - 1));
  return { ...state, launches: { ...Object.fromEntries(kept), [id]: launch } };
}
