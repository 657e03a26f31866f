/** The doc comments of a schema file, so that what the code says about a frame is what the page says. */

export interface Commented {
  /** About the whole of it. */
  about: string;
  /** About each of its fields. */
  fields: ReadonlyMap<string, string>;
}

/**
 * Comments by name. Reads our own formatting: a declaration begins its line, its fields are indented by two
 * spaces, and a comment stands right above what it is about.
 */
export function readComments(source: string): Map<string, Commented> {
  const found = new Map<string, Commented>();
  let comment: string[] | undefined;
  let pending = '';
  let fields: Map<string, string> | undefined;
  for (const line of source.split('\n')) {
    const text = line.trim();
    if (text.startsWith('/**')) comment = [];
    if (comment !== undefined) {
      comment.push(text.replace(/^\/\*\*\s?|^\*\/|^\*\s?/g, '').replace(/\s*\*\/$/, ''));
      if (!text.endsWith('*/')) continue;
      pending = comment
        .join(' ')
        .replace(/\{@link (\w+)\}/g, '`$1`')
        .replace(/\s+/g, ' ')
        .trim();
      comment = undefined;
      continue;
    }
    const declared = /^(?:export )?const (\w+) = /.exec(line)?.[1];
    const field = /^ {2}(\w+): /.exec(line)?.[1];
    if (declared !== undefined) {
      fields = new Map();
      found.set(declared, { about: pending, fields });
    } else if (field !== undefined && pending !== '') {
      fields?.set(field, pending);
    }
    if (text !== '') pending = '';
  }
  return found;
}
