/** The two plain judges' questions, and what of their answers is believed. Pure. */
import { verdictOf } from '../../../contract/semantic/verdict.ts';
import { type Language, say } from '../../../look/words/index.ts';
import { type Asked, noulOf, type TypedQuestion } from './goal/index.ts';
import {
  JUDGE_ANSWER_CHARS,
  JUDGE_USER_CHARS,
  TYPED_ANSWER_CHARS,
  TYPED_USER_CHARS,
  VERDICT_CHARS_MAX,
} from './limits.ts';
import type { JudgedTurn } from './state.ts';

export type Verdict = 'continue' | 'done' | 'not_sure';

/** The narrow question. Asked in English: the models that answer it are made for that. */
export const REMAINS: Readonly<Record<'remains', TypedQuestion>> = {
  remains: {
    type: 'noul',
    question: 'Does concrete requested work remain that the assistant can do itself?',
    criteria: {
      true: 'Something that was asked for is not done, and the assistant can do it now without anybody else.',
      false: 'Everything asked for is done, or what is left needs a person or something outside.',
    },
  },
};

export function typedState({ user, answer }: JudgedTurn): string {
  return `The user asked:\n${user.slice(-TYPED_USER_CHARS)}\n\nThe assistant answered:\n${answer.slice(-TYPED_ANSWER_CHARS)}`;
}

/** What a typed answer amounts to; what cannot be read is not sure. */
export function typedVerdict(answers: unknown): Verdict {
  const share = noulOf(answers, 'remains');
  if (share === null) return 'not_sure';
  const verdict = verdictOf(share);
  return verdict === 'yes' ? 'continue' : verdict === 'no' ? 'done' : 'not_sure';
}

export function judgeAsk(language: Language, { user, answer }: JudgedTurn): Asked {
  return {
    system: say(language, 'auto', 'judgeSystem'),
    user: [
      say(language, 'auto', 'judgeUser'),
      fenced(user.slice(-JUDGE_USER_CHARS)),
      say(language, 'auto', 'judgeAnswer'),
      fenced(answer.slice(-JUDGE_ANSWER_CHARS)),
      say(language, 'auto', 'judgeAsk'),
    ].join('\n'),
  };
}

/** Every line marked: nothing in a turn reads as the judge's own orders. */
function fenced(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

const DONE = new Set(['done', 'ok', 'completed', 'complete', 'finished', '完了', '完成', '已完成', '好的', '終了']);
const CONTINUE = new Set(['continue', 'go on', 'proceed', '続ける', '続けて', '継続', '继续', '繼續']);

/** One word counts, and nothing beside it: a reply that says both, or explains itself, is not sure. */
export function chatVerdict(content: unknown): Verdict {
  if (typeof content !== 'string' || content.length > VERDICT_CHARS_MAX) return 'not_sure';
  const word = content
    .normalize('NFKC')
    .replace(/^[\s"'`*_“”‘’「」()[\]{}<>]+|[\s"'`*_“”‘’「」()[\]{}<>.!。！…]+$/g, '')
    .toLowerCase();
  if (DONE.has(word)) return 'done';
  return CONTINUE.has(word) ? 'continue' : 'not_sure';
}
