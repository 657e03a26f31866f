/** What an answer says by its form alone. Pure. */
import { fnv1a } from '../../fnv.ts';
import { FINGERPRINT_CHARS, SUBSTANTIVE_BARE_CHARS, SUBSTANTIVE_CHARS, TAIL_CHARS } from './limits.ts';
import type { Answer, JudgedTurn } from './state.ts';

/** Names a text; empty when it says nothing. Blanks and case do not count. */
export function printOf(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim().toLowerCase().slice(0, FINGERPRINT_CHARS);
  return plain === '' ? '' : `${plain.length}:${fnv1a(plain)}`;
}

export const answerOf = ({ answer, answerId }: JudgedTurn): Answer => ({ id: answerId, print: printOf(answer) });

export function isSameAnswer(a: Answer | null | undefined, b: Answer): boolean {
  if (a == null) return false;
  return a.id !== null && b.id !== null ? a.id === b.id : a.print === b.print;
}

const STATUS_LINE =
  /^(?:calling|called|running|waiting|working|thinking|searching|reading|checking|loading|connecting|実行中|待機中|確認中|检索|正在)/i;
const TOOL_NAME = /^`?herdr_[a-z_]+`?\.?$/i;
const TOOL_JSON = /```(?:json)?\s*\{[\s\S]*?\}\s*```|\{\s*"(?:tool|ok|method|args)"[\s\S]*\}/g;

/** Whether there is an answer to judge, not only a line about what is going on. */
export function isSubstantive(answer: string): boolean {
  const text = answer.trim();
  if (text.length < SUBSTANTIVE_CHARS || TOOL_NAME.test(text)) return false;
  if (STATUS_LINE.test(text) && !/[.!?。！？\n]./.test(text)) return false;
  return text.replace(TOOL_JSON, '').trim().length >= SUBSTANTIVE_BARE_CHARS;
}

const UNFINISHED: readonly RegExp[] = [
  /\bnext(?: step)?s?\s*(?:[:：]|,?\s*i(?:'|’)?(?:ll| will)\b|is to\b)/i,
  /\bi(?:'|’)?(?:ll| will| am going to)\s+(?:now |then |next )?(?:continue|run|check|implement|write|add|fix|test|verify|update|look|start|proceed|go on)\b/i,
  /\bstill (?:need|have|has) to\b|\b(?:remains?|remaining|left) to (?:do|be done|verify|test|implement)\b/i,
  /\b(?:not yet|is not|isn(?:'|’)t|are not|aren(?:'|’)t) (?:complete|completed|finished|done|verified|tested|implemented)\b/i,
  /\b(?:pending|awaiting) (?:verification|tests?|review)\b|\bto be continued\b/i,
  /(?:次は|続いて|これから|引き続き).{0,40}(?:します|進めます|行います|確認します)|まだ.{0,30}(?:必要|完了していません|残って|終わっていません)|未完了|未検証|残りの作業/,
  /(?:接下来|下一步|然后)(?:我)?(?:会|将|要|[:：])|还(?:需要|没有|未)|尚未(?:完成|验证|测试)|待(?:验证|测试|完成)|剩余(?:工作|任务)/,
];

/** The end of the answer says of itself that work is open. */
export function declaresUnfinished(answer: string): boolean {
  const tail = answer.slice(-TAIL_CHARS);
  return UNFINISHED.some((pattern) => pattern.test(tail));
}

const FINISHED =
  /\b(?:all (?:done|tests? pass(?:ed)?|checks? pass(?:ed)?)|(?:is|are|now) (?:complete|completed|finished|done)|task (?:complete|completed|finished)|nothing (?:is )?left|no further (?:work|action))\b|完了しました|完了です|終わりました|以上です|已(?:全部)?完成|全部完成|任务完成|没有(?:剩余|其他)/i;
const ASKS =
  /[?？]["'”’)\]]*\s*$|\b(?:let me know|tell me|should i|shall i|would you like|do you want|please confirm|which (?:one|option))\b[^\n]*$|(?:ください|でしょうか|ますか)[。.]?\s*$|(?:请(?:确认|告诉)|需要我|是否)[^\n]*$/i;

/** The end of the answer says that all is done, or asks the person something. */
export function declaresFinished(answer: string): boolean {
  const tail = answer.trimEnd().slice(-TAIL_CHARS / 4);
  return ASKS.test(tail) || (FINISHED.test(tail) && !declaresUnfinished(answer));
}
