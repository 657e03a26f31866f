/** What a person is shown on a chat page, and what they may press there. Types only: nothing here runs. */
import type { TaskSummary } from '../contract/extension/tasks.ts';
import type { AccountMark, DeliveryKind } from './delivery.ts';
import type { RecoveryView } from './health.ts';
import type { Result } from './machines/auto/index.ts';
import type { Level } from './machines/pressure/index.ts';
import type { Reason } from './reason.ts';

export type WorkspaceStatus = 'unknown' | 'working' | 'idle' | 'done' | 'blocked';
export type RuntimeStatus = 'unknown' | 'connected' | 'offline' | 'host_missing' | 'host_refused' | 'standby';

export interface QueueView {
  count: number;
  chars: number;
  /** The last batch was submitted and never confirmed: it waits for a person. */
  uncertain: boolean;
}

/** What a page says of a conversation's end: our message with this mark stands there, and its reply, once it is whole. */
export interface BridgeTurn {
  loop: string;
  n: number;
  reply: { message: string | null; text: string } | null;
}

export type BridgeControl = 'stop' | 'resume' | 'extend' | 'post_again' | 'on' | 'off';

/** The JSON bridge on this page. */
export interface BridgeView {
  /** A person's switch for this conversation. */
  tools: 'on' | 'off';
  /** `waiting`: for the model. `posting`: results or a person's words wait to be sent. */
  phase: 'idle' | 'waiting' | 'running' | 'posting' | 'paused';
  paused: 'stopped' | 'budget' | 'repairs' | 'uncertain' | 'refused' | null;
  /** Rounds of calls since the person last wrote, and how many there may be. */
  used: number;
  budget: number;
  /** Tools that run now, and how far the reply's calls are. */
  running: readonly string[];
  done: number;
  total: number;
  /** Messages of the person that are not sent yet. */
  waiting: number;
  /** The site shows no stable ids: turns of this bound chat are not journaled. */
  unnamed: boolean;
}

/** `stop`: the answer that is being written. `archive`: the chat itself. */
export interface PressOrder {
  id: string;
  what: 'stop' | 'archive';
  /** Whoever else is signed in, nothing is pressed. */
  account?: AccountMark;
}

/** Who is signed in on a page: the digest, or why there is none. */
export type SignedInHere = { account: string } | { account: null; why: 'signed_out' | 'account_unknown' };

/** A handoff with this conversation as its source. */
export interface HandoffView {
  phase: 'preparing' | 'summarising' | 'delivering' | 'observing' | 'verifying' | 'uncertain' | 'committed' | 'failed';
  reason: Reason | null;
  /** The prepared message, only where it was proved that nothing was delivered. */
  copy: string | null;
  /** The new chat's address, once it is known. */
  target: string | null;
}

export type JudgeReason = Result['why'];
export type PressureLevel = Exclude<Level, 'healthy'>;

export interface JudgeView {
  /** `held`: something stood in the way. `unsure`: no model was sure. `person`: somebody has to look. */
  mark: 'deciding' | 'held' | 'sent' | 'done' | 'unsure' | 'person' | 'failed';
  why: JudgeReason;
  /** The supervisor's own sentence. */
  note: string | null;
  at: number;
}

export type ActionName = 'continue' | 'check' | 'decide' | 'handoff' | 'send_settled' | 'recover';

export interface HudState {
  language: 'en' | 'ja' | 'zh';
  /** Grows with every change, so that an older state never replaces a newer one. */
  revision: number;
  runtime: RuntimeStatus;
  /** Null: the runtime does not say. */
  herdr: string | null;
  bound: readonly { workspace: string; label: string; status: WorkspaceStatus }[];
  scope: 'conversation' | 'project' | 'pending' | null;
  auto: {
    /** The person's choice for this scope, kept while it cannot take effect. */
    on: boolean;
    effective: boolean;
    /** Why it cannot be switched on here, or has no effect now. */
    why: Reason | null;
  };
  /** Work that settled and that nobody was told: Auto was off, or the message did not go out. */
  settled: { workspace: string; label: string; round: 'partial' | 'round'; uncertain: boolean } | null;
  /** This conversation's own inbox; null: not known. */
  tasks: TaskSummary | null;
  queue: QueueView;
  /** The last thing that we tried to send here. */
  delivery: {
    kind: DeliveryKind;
    state: 'waiting' | 'submitting' | 'sent' | 'blocked' | 'uncertain';
    reason: Reason | null;
  } | null;
  /** A chat model can be asked: "LLM decide" is offered. */
  decides: boolean;
  /** What Auto decided last about this chat; null: nothing yet. */
  judge: JudgeView | null;
  /** How long this chat has grown, when that is worth a word. */
  pressure: { level: PressureLevel; tokens: number; messages: number } | null;
  /** Null: no site of the bridge, or it is switched off. */
  bridge: BridgeView | null;
  /** What is wrong with this conversation's page and what is done about it; null: nothing. */
  recovery: RecoveryView | null;
  /** The site has refused: until this time (ms since 1970) nothing automatic asks it for anything. */
  rateLimitedUntil: number | null;
  /** Null: none runs and none has ended here lately. */
  handoff: HandoffView | null;
  /** Null: it may be pressed. Otherwise why not. */
  actions: Record<ActionName, Reason | null>;
}

export type Action = { name: ActionName } | { name: 'auto'; on: boolean };

export interface ActionDone {
  hud: HudState;
  /** `check`: what the bound workspaces look like now, shown whether or not anything could be sent. */
  seen: WorkspaceSeen[] | null;
  /** Why nothing was sent although the action itself worked. */
  notSent: Reason | null;
}

export interface WorkspaceSeen {
  workspace: string;
  label: string;
  status: WorkspaceStatus;
  agents: readonly { pane: string; name: string; status: string; title: string | null }[];
}
