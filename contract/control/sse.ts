/** Server-sent events out of a text that arrives in any pieces. Pure, one for each stream. */
export interface Sse {
  id: string;
  event: string;
  data: string;
}

export function createSseReader(): (text: string) => Sse[] {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const field = (name: string) =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join('\n');
      const event = field('event');
      return event === '' ? [] : [{ id: field('id'), event, data: field('data') }];
    });
  };
}

/** `<boot>:<number>`, or null. */
export function positionOf(id: string): { boot: string; position: number } | null {
  const at = id.lastIndexOf(':');
  const position = Number(id.slice(at + 1));
  return at > 0 && Number.isSafeInteger(position) && position >= 0 ? { boot: id.slice(0, at), position } : null;
}
