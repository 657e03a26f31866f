/** What Auto remembers of one conversation, what can happen to it, and what it can want. Plain values. */
import type { Language } from '../../../look/words/index.ts';
import type { Asked, Decision, GoalRead, TypedQuestion } from './goal/index.ts';

/** Why nothing is judged now. The first one that holds is the reason; none asks a model anything. */
export type Gate =
  | 'judge_in_flight'
  | 'queue_first'
  | 'auto_off'
  | 'transfer_active'
  | 'site_progress_only'
  | 'progress_off'
  | 'unbound'
  | 'runtime_unavailable'
  | 'empty_answer'
  | 'still_generating'
  | 'page_not_quiet'
  | 'message_in_flight'
  | 'settle_first'
  | 'delivery_uncertain'
  | 'rate_limited'
  | 'own_words'
  | 'already_judged'
  | 'unconfirmed'
  | 'cooldown'
  | 'nudges_spent';

/** What became of a judgement. */
export type Outcome =
  | 'continued'
  | 'continued_elsewhere'
  | 'done'
  | 'not_substantive'
  | 'fallback_complete'
  | 'agents_working'
  | 'overtaken'
  | 'send_failed'
  | 'send_uncertain'
  // the goal supervisor
  | 'goal_complete'
  | 'waits_outside'
  | 'asks_person'
  | 'for_a_person'
  | 'budget_spent'
  | 'recovery_advised'
  | 'handover_advised'
  | 'denied'
  | 'paused';

export interface Result {
  at: number;
  why: Gate | Outcome;
  by: 'gate' | 'jev' | 'llm' | 'script' | 'goal';
  /** The supervisor's own sentence, for a person to read. Never sent anywhere. */
  note: string | null;
}

export type Stage = 'prepare' | 'prior' | 'supervise' | 'jev' | 'llm';

export interface Services {
  evaluate: boolean;
  chat: boolean;
}

/** Which answer it is: by the site's id where there is one. The page and the server give the same words in two forms. */
export interface Answer {
  id: string | null;
  print: string;
}

export interface Judging {
  id: string;
  answer: Answer;
  stage: Stage;
  services: Services;
  at: number;
}

export interface Sending {
  delivery: string;
  answer: Answer;
  print: string;
  by: 'jev' | 'llm' | 'script' | 'goal';
  doubtful: boolean;
}

export interface Auto {
  /** Counts judgements, so that no two have one id. */
  runs: number;
  /** The newest answer that was seen, since when, and whether the site's server said that it is complete. */
  seen: { answer: Answer; at: number; confirmed: boolean } | null;
  /** Whose words the newest user turn holds. */
  speaker: 'person' | 'machine';
  /** When a person spoke last. */
  spokeAt: number;
  judging: Judging | null;
  /** The answer about which everything is decided. */
  sealed: Answer | null;
  /** The message of ours that went out last. */
  nudge: { print: string; at: number } | null;
  /** The message of ours that is on its way. `doubtful`: submitted and never seen; a late sight of it still counts. */
  sending: Sending | null;
  nudges: number;
  scripted: number;
  retryAt: number | null;
  retries: number;
  /** When the page was last asked what stands there. */
  lookedAt: number;
  goal: { continued: number; recovered: number; ranAt: number | null; decision: Decision | null };
  result: Result | null;
}

export const NEW_AUTO: Auto = {
  runs: 0,
  seen: null,
  speaker: 'person',
  spokeAt: 0,
  judging: null,
  sealed: null,
  nudge: null,
  sending: null,
  nudges: 0,
  scripted: 0,
  retryAt: null,
  retries: 0,
  lookedAt: 0,
  goal: { continued: 0, recovered: 0, ranAt: null, decision: null },
  result: null,
};

/** A finished turn, whole. It is never stored. */
export interface JudgedTurn {
  user: string;
  answer: string;
  /** The site's id of the answer; null when it gives none. */
  answerId: string | null;
}

/** How things stand around the conversation, asked anew at every step. */
export interface Facts {
  /** The site's chats are judged at all; elsewhere Auto is progress and settled. */
  judged: boolean;
  /** The person's switch, and the permission where there is one. */
  auto: boolean;
  connected: boolean;
  transfer: boolean;
  bound: boolean;
  /** Entries of the Queue that wait. */
  queued: number;
  /** Seconds between two messages of Auto; 0: none. */
  paceSec: number;
  page: 'quiet' | 'busy' | 'not_quiet' | 'none';
  messageInFlight: boolean;
  settlePending: boolean;
  /** An agent of the bound workspace works. */
  working: boolean;
  /** When a message became uncertain, if it is the newest one; null: none. */
  uncertainAt: number | null;
  rateLimited: boolean;
  /** The page has failed, not the model. */
  broken: boolean;
  /** From here on a handover is due. */
  underPressure: boolean;
  continueMessage: string | null;
}

export interface Env {
  now: number;
  language: Language;
}

export type AutoEvent =
  /** A turn has ended, or the page was read; `confirmed`: the site's server says that it is complete. */
  | { type: 'turn'; turn: JudgedTurn; confirmed: boolean }
  /** Which models there are and what the goal is; null and `unknown`: that could not be told. */
  | { type: 'prepared'; id: string; turn: JudgedTurn; services: Services | null; goal: GoalRead | null | 'unknown' }
  /** Answers of the typed question; null: nobody answered. */
  | { type: 'evaluated'; id: string; turn: JudgedTurn; goal: GoalRead | null; answers: unknown }
  | { type: 'chatted'; id: string; turn: JudgedTurn; goal: GoalRead | null; content: unknown }
  /** A user turn was accepted. */
  | { type: 'accepted'; by: 'person' | 'machine'; news: boolean }
  /** `held`: something else goes first. `elsewhere`: another browser has continued this answer. */
  | { type: 'finished'; delivery: string; as: 'sent' | 'blocked' | 'uncertain' | 'held' | 'elsewhere' }
  /** Time has passed. */
  | { type: 'look' }
  /** The worker was started again: who asked before is gone. */
  | { type: 'restarted' }
  /** A person has switched Auto off. */
  | { type: 'stopped' };

export type AutoEffect =
  /** What does the page show as its last turn? */
  | { type: 'read' }
  | { type: 'prepare'; id: string; turn: JudgedTurn }
  | {
      type: 'evaluate';
      id: string;
      turn: JudgedTurn;
      goal: GoalRead | null;
      state: string;
      questions: Readonly<Record<string, TypedQuestion>>;
      timeoutMs: number;
    }
  | { type: 'chat'; id: string; turn: JudgedTurn; goal: GoalRead | null; asked: Asked; timeoutMs: number }
  /** Goes through the one delivery machine. */
  | { type: 'send'; delivery: string; text: string }
  | { type: 'rollover' }
  /** Written under compare-and-set on the revision that was read. */
  | { type: 'checkpoint'; goal: GoalRead; section: Readonly<Record<string, unknown>>; anchor: string };

export interface AutoStep {
  auto: Auto;
  effects: readonly AutoEffect[];
}
