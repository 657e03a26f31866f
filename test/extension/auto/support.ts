/** Values that the tables of Auto are made of. */
import {
  type Auto,
  type AutoEffect,
  type AutoEvent,
  type Facts,
  type GoalRead,
  type JudgedTurn,
  judge,
  ledgerOf,
  NEW_AUTO,
} from '../../../extension/machines/auto/index.ts';

export const NOW = 1_764_500_000_000;
export const env = (now = NOW) => ({ now, language: 'en' as const });

export const CALM: Facts = {
  judged: true,
  auto: true,
  connected: true,
  transfer: false,
  bound: true,
  queued: 0,
  paceSec: 60,
  page: 'quiet',
  messageInFlight: false,
  settlePending: false,
  working: false,
  uncertainAt: null,
  rateLimited: false,
  broken: false,
  underPressure: false,
  continueMessage: null,
};

export const turn = (
  answer: string,
  answerId: string | null = 'a1',
  user = 'Please build the parser.',
): JudgedTurn => ({
  user,
  answer,
  answerId,
});

export const OPEN_ANSWER =
  'I have written the parser and its first tests. Next step: I will run the whole test suite and fix what fails.';
export const CLOSED_ANSWER =
  'The parser is written, all 42 tests pass and the documentation is updated. Everything is complete.';
export const PLAIN_ANSWER =
  'The parser reads the three formats that you named and reports the line of every mistake that it finds.';

/** A goal as its checkpoint holds it. */
export function goal(change: Partial<GoalRead> & { content?: Record<string, unknown> } = {}): GoalRead {
  const content = change.content ?? {
    goal_supervisor: {
      objective: 'A parser for three formats',
      constraints: ['no new dependency'],
      todos: [
        { id: 't1', text: 'write the lexer', status: 'closed', evidence: ['herdr_evidence:ev_1'] },
        { id: 't2', text: 'run the acceptance checks' },
        { id: 't3', text: 'choose the name', owner: 'human' },
      ],
      decisions: [{ id: 'd1', text: 'Errors carry line and column.' }],
    },
  };
  const ledger = ledgerOf(content);
  if (ledger === null) throw new Error('the content has no goal');
  return {
    partition: { project_ref: 'p', repo_id: 'r', work_chain_id: 'w' },
    revision: 3,
    summary: 'The lexer is done.',
    content,
    ledger,
    observed: ['herdr_evidence:ev_1', 'herdr_task:task_1', 'human:u1'],
    turns: [{ role: 'user', text: 'Please build the parser.' }],
    running: 0,
    uncertain: false,
    ...change,
  };
}

export const said = (change: Record<string, unknown> = {}): string =>
  JSON.stringify({ decision: 'CONTINUE', reason: 'A check is open.', message: '', todo_ids: ['t2'], ...change });

export interface Driver {
  readonly auto: Auto;
  readonly effects: readonly AutoEffect[];
  /** Everything that was ever sent, in order. */
  readonly sent: readonly string[];
  facts: Facts;
  now: number;
  give(event: AutoEvent): Driver;
  /** The id of what is being judged. */
  id(): string;
  last<T extends AutoEffect['type']>(type: T): Extract<AutoEffect, { type: T }>;
}

/** One conversation that is fed with events, and remembers what the last one brought. */
export function driver(facts: Partial<Facts> = {}, begin: Partial<Auto> = {}): Driver {
  const sent: string[] = [];
  const it = {
    auto: { ...NEW_AUTO, ...begin } as Auto,
    effects: [] as readonly AutoEffect[],
    sent,
    facts: { ...CALM, ...facts },
    now: NOW,
    give(event: AutoEvent) {
      const step = judge(it.auto, event, it.facts, env(it.now));
      it.auto = step.auto;
      it.effects = step.effects;
      for (const effect of step.effects) if (effect.type === 'send') sent.push(effect.text);
      return it;
    },
    id: () => it.auto.judging?.id ?? 'none',
    last<T extends AutoEffect['type']>(type: T) {
      const found = it.effects.find((effect) => effect.type === type);
      if (!found) throw new Error(`no ${type} among ${it.effects.map((one) => one.type).join(', ') || 'nothing'}`);
      return found as Extract<AutoEffect, { type: T }>;
    },
  };
  return it;
}

export const NO_SERVICES = { evaluate: false, chat: false };
export const BOTH = { evaluate: true, chat: true };
