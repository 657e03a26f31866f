/** What Herdr answered, within one bounded answer, with refs beside the ids of the things that it is about. Pure. */

import { isObject } from '../../../contract/json.ts';
import { RESULT_TEXT_CHARS } from '../../../contract/limits.ts';
import type { HerdrResult } from '../../herdr/index.ts';
import type { ToolContext } from '../context.ts';

type Fact = Record<string, unknown>;

/** Room that is kept in the answer for everything beside the result; text grows when it is written as JSON in JSON. */
const FRAME_CHARS = 2_000;

/** The result, or as much of it as fits. Text of a pane loses whole rows at its beginning: the end is the news. */
export function boundedResult(result: HerdrResult): Fact {
  const size = JSON.stringify(result).length;
  const room = RESULT_TEXT_CHARS - FRAME_CHARS;
  if (size <= room) return { result };
  const read = isObject(result.read) ? result.read : undefined;
  if (read && typeof read.text === 'string') {
    const kept = lastRows(read.text, room - (size - JSON.stringify(read.text).length));
    const cut = read.text.length - kept.length;
    return {
      result: { ...result, read: { ...read, text: kept } },
      truncated: true,
      cut: `The first ${cut} characters of the text are not in this answer; lines narrows.`,
    };
  }
  return {
    result: { type: result.type },
    truncated: true,
    cut: `The result of ${size} characters is above the limit of ${room}; only its type is given. Ask for one item instead of the list.`,
  };
}

/** The last whole rows whose JSON fits. */
function lastRows(text: string, room: number): string {
  let kept = text.slice(-Math.max(room, 0));
  while (JSON.stringify(kept).length > room && kept.length > 0) kept = kept.slice(Math.ceil(kept.length / 10));
  const row = kept.indexOf('\n');
  return row === -1 ? kept : kept.slice(row + 1);
}

/** Refs of the single things in a result; lists have their ids. */
export function refsIn(result: HerdrResult, ref: ToolContext['ref']): Fact {
  const refs: Fact = {};
  for (const [name, value] of Object.entries(result)) {
    if (!isObject(value)) continue;
    if (typeof value.pane_id === 'string') refs[name] = ref.pane(value.pane_id);
    else if (name === 'workspace' && typeof value.workspace_id === 'string')
      refs[name] = ref.workspace(value.workspace_id);
  }
  return Object.keys(refs).length > 0 ? { refs } : {};
}
