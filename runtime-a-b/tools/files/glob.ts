/**
 * Globs for names and relative paths, as `.gitignore` reads them: without a slash a name at any depth is meant. Matching
 * runs all possibilities side by side, so that no pattern can take longer than its length times the path's. Pure.
 */

type Token =
  | { kind: 'char'; char: string }
  | { kind: 'one' }
  | { kind: 'star' }
  /** Any number of whole folders, also none. */
  | { kind: 'folders' }
  | { kind: 'all' }
  | { kind: 'set'; negated: boolean; ranges: [string, string][] };

/** Alternatives that `{a,b}` may expand to; more is a mistake or an attack. */
const ALTERNATIVES_MAX = 256;

/** A test for relative paths. `*` and `?` stop at slashes, `**` does not; `[a-z]`, `[!a]`, `{a,b}` and `\x` work. */
export function globMatcher(glob: string): (relative: string) => boolean {
  const anchored = glob.replace(/\/$/, '').includes('/');
  const plain = glob.replace(/^\//, '').replace(/\/$/, '');
  const programs = expandBraces(plain).map(tokenize);
  return (relative) => {
    const text = anchored ? relative : relative.slice(relative.lastIndexOf('/') + 1);
    return programs.some((tokens) => matches(tokens, text));
  };
}

function expandBraces(glob: string): string[] {
  let open = [glob];
  for (let round = 0; round < ALTERNATIVES_MAX; round += 1) {
    const at = open.findIndex((each) => innermostBraces(each) !== undefined);
    const found = at < 0 ? undefined : innermostBraces(open[at] as string);
    if (found === undefined || open.length > ALTERNATIVES_MAX) return open;
    const text = open[at] as string;
    const variants = found.options.map((option) => text.slice(0, found.from) + option + text.slice(found.to));
    open = [...open.slice(0, at), ...variants, ...open.slice(at + 1)];
  }
  return open;
}

function innermostBraces(glob: string): { from: number; to: number; options: string[] } | undefined {
  const match = /\{([^{}]*,[^{}]*)\}/.exec(glob);
  if (match?.[1] === undefined) return undefined;
  return { from: match.index, to: match.index + match[0].length, options: match[1].split(',') };
}

function tokenize(glob: string): Token[] {
  const tokens: Token[] = [];
  const chars = [...glob];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] as string;
    if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      tokens.push({ kind: 'char', char: chars[at] as string });
    } else if (char === '?') tokens.push({ kind: 'one' });
    else if (char === '*') {
      let stars = 1;
      while (chars[at + 1] === '*') {
        at += 1;
        stars += 1;
      }
      if (stars === 1) tokens.push({ kind: 'star' });
      else if (chars[at + 1] === '/') {
        at += 1;
        tokens.push({ kind: 'folders' });
      } else tokens.push({ kind: 'all' });
    } else if (char === '[') {
      const set = readSet(chars, at);
      if (set === undefined) tokens.push({ kind: 'char', char });
      else {
        tokens.push(set.token);
        at = set.end;
      }
    } else tokens.push({ kind: 'char', char });
  }
  return tokens;
}

function readSet(chars: readonly string[], start: number): { token: Token; end: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at += 1;
  const ranges: [string, string][] = [];
  for (let first = true; at < chars.length; first = false, at += 1) {
    const char = chars[at] as string;
    if (char === ']' && !first) return { token: { kind: 'set', negated, ranges }, end: at };
    const to = chars[at + 2];
    if (chars[at + 1] === '-' && to !== undefined && to !== ']') {
      ranges.push([char, to]);
      at += 2;
    } else ranges.push([char, char]);
  }
  return undefined;
}

/** Follows every position of the pattern that the text so far can have reached. */
function matches(tokens: readonly Token[], text: string): boolean {
  let reached = spread(tokens, [0], true);
  let atFolderStart = false;
  for (const char of text) {
    atFolderStart = char === '/';
    const next: number[] = [];
    for (const position of reached) {
      const token = tokens[position];
      if (token === undefined) continue;
      if (token.kind === 'star' ? char !== '/' : token.kind === 'all' || token.kind === 'folders') next.push(position);
      else if (token.kind !== 'star' && accepts(token, char)) next.push(position + 1);
    }
    reached = spread(tokens, next, atFolderStart);
    if (reached.length === 0) return false;
  }
  return reached.includes(tokens.length);
}

/** Positions reachable without another character; `**` followed by a slash is left only where a folder begins. */
function spread(tokens: readonly Token[], positions: readonly number[], atFolderStart: boolean): number[] {
  const found = new Set(positions);
  for (const position of found) {
    const kind = tokens[position]?.kind;
    if (kind === 'star' || kind === 'all' || (kind === 'folders' && atFolderStart)) found.add(position + 1);
  }
  return [...found];
}

function accepts(token: Token, char: string): boolean {
  if (token.kind === 'char') return token.char === char;
  if (char === '/') return false;
  if (token.kind === 'one') return true;
  if (token.kind !== 'set') return false;
  return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated;
}
