import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FRAME_SCHEMAS } from '../../contract/link/index.ts';
import { linkProtocolPage } from '../../scripts/link-protocol/page.ts';

describe('the page about the link protocol', () => {
  it('is what the code says; otherwise run: node scripts/link-protocol-doc.ts', () => {
    expect(readFileSync(new URL('../../docs/link-protocol.md', import.meta.url), 'utf8')).toBe(linkProtocolPage());
  });

  it('names every frame and every field', () => {
    const page = linkProtocolPage();
    for (const [kind, schema] of Object.entries(FRAME_SCHEMAS)) {
      const section = page.split(`### \`${kind}\``)[1]?.split('\n##')[0] ?? '';
      const { properties } = schema as unknown as { properties: Record<string, unknown> };
      for (const field of Object.keys(properties)) if (field !== 'kind') expect(section).toContain(`\`${field}\``);
    }
  });
});
