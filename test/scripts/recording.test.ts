import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordedSteps, recordingOf, type Said } from '../../scripts/demo/index.ts';
import { verifies } from '../verifies.ts';

const said = (...texts: string[]): Said[] => texts.map((text, i) => ({ atMs: i * 100_000, text }));
const texts = (svg: string) =>
  [...svg.matchAll(/<text [^>]*class="(\w+)">(.*)<\/text>/g)].map(([, ink, text]) => [ink, text]);

describe('a recording of the demo', () => {
  it('shows every line in its ink, cut at two rows, and knows which calls it shows', () => {
    const call = '→ herdr_call {"method":"agent.get","params":"{}"}';
    const later = '→ herdr_call {"device":"d","method":"a.b","params":"{\\"method\\":\\"c\\"}"}';
    const svg = recordingOf(said('Connecting', '→ tools/list', '← 19 tools', call, later, `← ${'x'.repeat(400)}`));
    expect(recordedSteps(svg)).toEqual(['tools/list', 'herdr_call agent.get', 'herdr_call a.b']);
    expect(texts(svg).map(([ink]) => ink)).toEqual(['said', 'call', 'answer', 'call', 'call', 'answer', 'answer']);
    expect(texts(svg).at(-1)?.[1]).toMatch(/^x+…$/);
  });

  it('is a picture whatever was said: no script, no broken mark, still for who asks for that', () => {
    const svg = recordingOf(said('<script>alert("&")</script>', 'a\u0007\ud800b', ''));
    expect(svg).not.toContain('<script');
    expect(texts(svg).map(([, text]) => text)).toEqual([
      '&lt;script>alert(&quot;&amp;&quot;)&lt;/script>',
      'a \ufffdb',
      '',
    ]);
    expect(svg).toContain('@media (prefers-reduced-motion:reduce){#all{animation:none}}');
  });

  it('plays as fast as the run did, but stands still for nobody', () => {
    const svg = recordingOf([...said('a', 'b'), { atMs: 100_010, text: 'c' }]);
    expect(svg).toContain('animation:play 7300ms'); // 1,600 for a, 350 for b, 350 and the end for c
    expect(svg.match(/%\{transform/g)).toHaveLength(3);
  });

  it('stands on both first pages, small, and names nothing of the machine that it was made on', () => {
    verifies('docs.true');
    const root = join(import.meta.dirname, '..', '..');
    const svg = readFileSync(join(root, 'docs', 'images', 'demo.svg'), 'utf8');
    expect(svg.length).toBeLessThan(200_000);
    expect(svg).not.toMatch(/\/(home|Users|root|tmp|work)\//);
    for (const page of ['README.md', 'README.ja.md']) {
      expect(readFileSync(join(root, page), 'utf8')).toContain('(docs/images/demo.svg)');
    }
  });
});
