/** What a caller may write as a revision. Pure. */

export type RevisionFault = { bad: string };

/** A revision as given, for show split into the path inside it. */
export interface Revision {
  text: string;
  /** `HEAD:src/a.ts` names a file or folder at a revision; also in the index (`:0:a.ts`). */
  path?: string;
}

/**
 * Checks a revision. A path inside one is only for show, where it is judged like every other path; an option never
 * passes for a revision.
 */
export function readRevision(text: string, action: string): Revision | RevisionFault {
  if (text === '' || /[\0\n\r]/.test(text)) return { bad: 'is empty or holds a line break' };
  if (text.startsWith('-')) return { bad: 'begins with a dash, as options do' };
  if (text.startsWith(':/')) return { text };
  const colon = colonOutsideBraces(text);
  if (colon < 0) return { text };
  if (action !== 'show')
    return { bad: `names a path inside a revision, which only show takes; for ${action} give path beside rev` };
  const tail = text.slice(colon + 1);
  const path = colon === 0 ? tail.replace(/^[0-3]:/, '') : tail;
  return { text, path };
}

function colonOutsideBraces(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    else if (text[at] === ':' && depth <= 0) return at;
  }
  return -1;
}
