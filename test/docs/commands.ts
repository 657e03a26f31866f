/** Every command that a page tells its reader to run. Pure. */

export interface Told {
  page: string;
  /** As it stands there, without the comment behind it. */
  text: string;
}

const FENCE = /```(?:sh|bash|json)?\n([\s\S]*?)```/g;
const INLINE = /`([^`\n]+)`/g;

/** What stands in fences and between backticks and begins as a command of ours does. */
export function commandsIn(page: string, text: string): Told[] {
  const fenced = [...text.matchAll(FENCE)].flatMap(([, block = '']) => block.split('\n'));
  const rest = text.replaceAll(FENCE, '');
  const inline = [...rest.matchAll(INLINE)].map(([, code = '']) => code);
  return [...fenced, ...inline]
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/\s+#.*$/, '')
        .trim(),
    )
    .filter((line) => /^(herdr-mcp|npm (run|start|test|pack|install))( |$)/.test(line))
    .filter((line) => line !== 'herdr-mcp')
    .map((line) => ({ page, text: line }));
}

/** `a b|c d` → [`a b d`, `a c d`]; a placeholder such as `<id>` or `[pane]` stands for a value. */
export function spelledOut(words: readonly string[]): string[][] {
  return words.reduce<string[][]>(
    (lines, word) => {
      const choices = /^[a-z-]+(\|[a-z-]+)+$/.test(word) ? word.split('|') : [word];
      return lines.flatMap((line) => choices.map((choice) => [...line, choice]));
    },
    [[]],
  );
}
