import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STYLE } from '../../edge/consent/style.ts';
import { ICONS } from '../../look/icons/index.ts';
import { PAIRS, TOKENS, tokenCss } from '../../look/tokens.ts';
import { verifies } from '../verifies.ts';

/** WCAG 2.2, relative luminance of `#rrggbb`. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const root = new URL('../../', import.meta.url).pathname;

/** Every style of ours, by file. */
const styles = (): [string, string][] =>
  readdirSync(join(root, 'extension'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.') && /\.css$|style\.ts$/.test(name))
    .map((name): [string, string] => [name, readFileSync(join(root, 'extension', name), 'utf8')])
    .concat([['edge/consent/style.ts', STYLE]]);

describe('the tokens', () => {
  it.each(['light', 'dark'] as const)(
    'are readable in %s: every text on every ground that it may stand on',
    (scheme) => {
      verifies('control-center.contrast');
      const colours = TOKENS[scheme];
      const weak = PAIRS.flatMap(({ min, pairs }) =>
        pairs
          .map(([text, ground]) => ({ text, ground, ratio: contrast(colours[text], colours[ground]), min }))
          .filter(({ ratio }) => ratio < min),
      );
      expect(weak).toEqual([]);
      expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
    },
  );

  it('are all that a style names: no property is misspelt, no colour is written by hand', () => {
    const known = new Set([...tokenCss(':root').matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
    const found = styles();
    expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(['style/ground.css', 'hud/style.ts']));
    for (const [name, css] of found) {
      const own = new Set([...css.matchAll(/(--[\w-]+):/g)].map(([, property]) => property));
      const unknown = [...css.matchAll(/var\((--[\w-]+)/g)].filter(([, used]) => !known.has(used) && !own.has(used));
      expect([name, unknown.map(([whole]) => whole)]).toEqual([name, []]);
      const written = css.replace(tokenCss(':root', 'rem'), '').match(/#[0-9a-f]{3,8}\b(?=[^{]*[;}])/gi);
      expect([name, written ?? []]).toEqual([name, []]);
    }
  });

  it('lie under every icon: each is drawn inside its grid', () => {
    for (const [name, path] of Object.entries(ICONS)) {
      const numbers = [...path.matchAll(/[MLZHVA]\s*(-?\d*\.?\d+)/g)].map(([, value]) => Number(value));
      expect([name, numbers.length > 0 && numbers.every((value) => value >= 0 && value <= 16)]).toEqual([name, true]);
    }
  });
});
