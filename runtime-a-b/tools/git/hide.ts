/**
 * Takes the sections of secret files out of a diff. Inside a hunk every line has a mark in front, so a line that begins
 * with `diff --` or `commit ` always is Git's own. Pure.
 */
import { unquote, utf8 } from './names.ts';

export interface Shown {
  /** latin1 of the bytes. */
  output: string;
  /** Sections left out. */
  hidden: number;
}

/** `output` is latin1 of Git's bytes; `isSecret` judges a path relative to the repository. */
export function hideSecretSections(output: string, isSecret: (path: string) => boolean): Shown {
  const kept: string[] = [];
  let hidden = 0;
  for (const part of output.split(/^(?=diff --(?:git|cc|combined) |commit [0-9a-f]{7,64}(?: |\n|$))/m)) {
    if (part.startsWith('diff --') && namesOf(part).some((name) => isSecret(utf8(name)))) {
      hidden += 1;
      kept.push('(a file whose name looks like a secret changed; its content is not shown)\n');
    } else kept.push(part);
  }
  return { output: kept.join(''), hidden };
}

/** Every path that the header of a section names; a rename is judged by both. */
function namesOf(section: string): string[] {
  const names: string[] = [];
  for (const line of headerLines(section)) {
    const plain = /^(?:rename|copy) (?:from|to) (.*)$/.exec(line)?.[1];
    const prefixed = /^(?:---|\+\+\+) (.*?)\t?$/.exec(line)?.[1];
    if (plain !== undefined) names.push(unquote(plain));
    else if (prefixed !== undefined && prefixed !== '/dev/null') names.push(unquote(prefixed).slice(2));
    else names.push(...namesOfFirstLine(line));
  }
  return names;
}

function headerLines(section: string): string[] {
  const end = section.search(/^@@/m);
  return (end < 0 ? section : section.slice(0, end)).split('\n');
}

/** `diff --git a/X b/X` names the same path twice unless it is a rename, which has lines of its own. */
function namesOfFirstLine(line: string): string[] {
  const combined = /^diff --(?:cc|combined) (.*)$/.exec(line)?.[1];
  if (combined !== undefined) return [unquote(combined)];
  const both = /^diff --git (.*)$/.exec(line)?.[1];
  if (both === undefined) return [];
  const quoted = [...both.matchAll(/"(?:[^"\\]|\\.)*"/g)].map((match) => unquote(match[0]).slice(2));
  if (quoted.length > 0) return quoted;
  const half = (both.length - 1) / 2;
  const [first, second] = [both.slice(2, half), both.slice(half + 3)];
  return first === second ? [first] : [];
}
