/** The state machines on docs/continuity.md are what the machines do. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explore } from '../../scripts/continuity-doc/explore.ts';
import { withPictures } from '../../scripts/continuity-doc/page.ts';
import { PICTURES } from '../../scripts/continuity-doc/pictures.ts';

const page = readFileSync(new URL('../../docs/continuity.md', import.meta.url), 'utf8');

describe('docs/continuity.md', () => {
  it('shows the machines as they are (npm run docs:continuity draws them anew)', () => {
    expect(withPictures(page, PICTURES)).toBe(page);
  });

  it.each(PICTURES)('$name: every phase can be reached, and each picture has arrows', ({ edges, starts }) => {
    const drawn = edges().filter(({ from, to }) => from !== to);
    const reached = new Set([...starts, ...drawn.map(({ to }) => to)]);
    expect(drawn.length).toBeGreaterThan(1);
    expect(drawn.filter(({ from }) => !reached.has(from))).toEqual([]);
  });

  it('refuses a place without a machine and a machine without a place', () => {
    expect(() => withPictures('<!-- picture: nobody -->\n<!-- /picture -->', [])).toThrow('nobody');
    expect(() => withPictures('', [{ name: 'somebody', starts: [], edges: () => [] }])).toThrow('somebody');
  });
});

describe('a machine is explored', () => {
  it('from its starts to everything that its events reach, once', () => {
    const edges = explore<number, 'more' | 'less'>({
      starts: [1],
      events: (n) => [
        ...(n < 3 ? [{ on: 'more', event: 'more' } as const] : []),
        { on: 'less', event: 'less' } as const,
      ],
      step: (n, event) => (event === 'more' ? n + 1 : Math.max(0, n - 1)),
      phase: (n) => `s${n}`,
    });
    expect(edges.map(({ from, to }) => `${from}${to}`).sort()).toEqual(
      ['s0s0', 's0s1', 's1s0', 's1s2', 's2s1', 's2s3', 's3s2'].sort(),
    );
  });
});
