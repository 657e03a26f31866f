/** What can happen to the bridge, and what it can decide to do. Plain values. */
import type { BridgeControl, BridgeTurn, Reason } from '../../messages.ts';
import type { SiteId } from '../../page.ts';
import type { Catalogue } from './catalogue.ts';
import type { BridgeState } from './state.ts';

/** What became of a call, as far as it is known. Nothing of it is a guess. */
export type CallOutcome =
  /** The runtime answered. */
  | { kind: 'answered'; answer: unknown }
  /** The runtime refused the message itself: nothing ran. */
  | { kind: 'refused'; error: string; detail: string }
  /** It never left the browser, or the host refused it. */
  | { kind: 'not_sent'; why: string }
  /** It was sent, and no answer came. */
  | { kind: 'unknown'; why: string };

export type BridgeEvent =
  /** A person sends the first message of a chat that has no address yet. */
  | { type: 'launch'; site: SiteId; id: string; catalogue: Catalogue }
  /** The page holds it in the composer and asks for leave to submit it. */
  | { type: 'launch_claim'; id: string }
  /** A person sends a message into a conversation. */
  | { type: 'say'; site: SiteId; conversation: string; entry: string; loop: string; text: string; catalogue: Catalogue }
  | { type: 'turn'; site: SiteId; conversation: string; turn: BridgeTurn; catalogue: Catalogue | null }
  | { type: 'called'; conversation: string; answers: number; index: number; attempt: number; outcome: CallOutcome }
  | { type: 'control'; site: SiteId; conversation: string; what: BridgeControl }
  /** A turn of this conversation has no stable id. */
  | { type: 'unnamed'; conversation: string }
  /** A worker has started: of what was under way before, nobody will hear any more. */
  | { type: 'started' }
  | { type: 'tick' };

/** Asks the runtime. What comes of it is given back as `called`. */
export interface BridgeCall {
  type: 'bridge_call';
  conversation: string;
  answers: number;
  index: number;
  attempt: number;
  tool: string;
  args: Readonly<Record<string, unknown>>;
  /** Not before so many ms. */
  afterMs: number;
}

export interface BridgeEnv {
  now: number;
  /** Whether a person has switched the site on. */
  isOn(site: SiteId): boolean;
}

export interface BridgeStep {
  bridge: BridgeState;
  effects: readonly BridgeCall[];
  reason: Reason | null;
}
