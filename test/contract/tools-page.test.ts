import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CURRENT_PUBLIC, CURRENT_RUNTIME } from '../../contract/epochs/index.ts';
import { toolsPage } from '../../scripts/tools-doc/page.ts';

const committed = readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8');

describe('the page about the tools', () => {
  it('is what the contract says; otherwise run: npm run docs:tools', () => {
    expect(committed).toBe(toolsPage());
  });

  it('has a row and a section for every tool, and every argument in both', () => {
    const published = [
      ...CURRENT_RUNTIME.tools,
      ...CURRENT_PUBLIC.tools.filter(({ name }) => name === 'herdr_devices'),
    ];
    expect(published).toHaveLength(CURRENT_PUBLIC.tools.length);
    for (const tool of published) {
      const row = committed.split('\n').find((line) => line.startsWith(`| [\`${tool.name}\`]`)) ?? '';
      const section = committed.split(`\n## \`${tool.name}\`\n`)[1]?.split('\n## ')[0] ?? '';
      expect(section).toContain(tool.description);
      for (const name of Object.keys(tool.inputSchema.properties as object)) {
        expect(row).toContain(`\`${name}\``);
        expect(section).toContain(`\`${name}\``);
      }
    }
  });
});
