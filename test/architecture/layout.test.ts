import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { findCircle, importEdges, sourceFiles } from './imports.ts';
import { forbidden } from './rules.ts';

const root = new URL('../../', import.meta.url).pathname;
const files = sourceFiles(root);
const edges = importEdges(root, files);

describe('the layout is the architecture', () => {
  it('lets every plane import only what it may, through doors only', () => {
    verifies('layout.imports');
    expect(edges.length).toBeGreaterThan(100);
    const offences = edges.map(({ from, to }) => forbidden(from, to)).filter((offence) => offence !== null);
    expect(offences).toEqual([]);
  });

  it('has no import circle', () => {
    verifies('layout.imports');
    expect(findCircle(edges)).toBeNull();
  });

  it('keeps every file under 300 lines unless its head says why', async () => {
    const { readFile } = await import('node:fs/promises');
    const long: string[] = [];
    const styles = readdirSync(`${root}extension`, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('.') && name.endsWith('.css'))
      .map((name) => `extension/${name}`);
    expect(styles.length).toBeGreaterThan(1);
    for (const file of [...files, ...styles]) {
      const text = await readFile(root + file, 'utf8');
      if (text.split('\n').length > 301 && !/^\/\*\*[\s\S]{0,2000}?long because/i.test(text)) long.push(file);
    }
    expect(long).toEqual([]);
  });

  it('judges no peer by a timer that comes before what the peer has sent', async () => {
    verifies('link.liveness');
    const { readFile } = await import('node:fs/promises');
    const inNode = /^(link|runtime-a-b|cli|embedded-herdr|broker|local|extension\/native-host)\//;
    const own: string[] = [];
    for (const file of files.filter((name) => inNode.test(name))) {
      if ((await readFile(root + file, 'utf8')).includes('AbortSignal.timeout(')) own.push(file); // local/patience has one
    }
    expect(own).toEqual([]);
  });

  it('has only the top-level folders of the design', () => {
    const allowed = new Set(
      'contract edge link runtime-a-b extension cli embedded-herdr local broker look migrations scripts test docs bench'.split(
        ' ',
      ),
    );
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .filter((name) => name !== 'node_modules' && name !== 'dist');
    expect(folders.filter((name) => !allowed.has(name))).toEqual([]);
  });
});

describe('the rules can fail', () => {
  it.each([
    ['contract/outcome.ts', 'local/files/index.ts'],
    ['edge/mcp/lane.ts', 'local/files/index.ts'],
    ['edge/mcp/lane.ts', 'edge/auth/store.ts'],
    ['link/main.ts', 'runtime-a-b/http/index.ts'],
    ['runtime-a-b/tools/files/read.ts', 'runtime-a-b/roots/paths.ts'],
    ['cli/main.ts', 'runtime-a-b/operations/index.ts'],
    ['embedded-herdr/main.ts', 'runtime-a-b/herdr/index.ts'],
  ])('refuses %s → %s', (from, to) => {
    expect(forbidden(from, to)).not.toBeNull();
  });

  it.each([
    ['link/forward/lease.ts', 'runtime-a-b/generations/lease.ts'],
    ['edge/mcp/lane.ts', 'contract/link/frames.ts'],
    ['edge/mcp/lane.ts', 'edge/auth/index.ts'],
    ['cli/main.ts', 'link/index.ts'],
  ])('allows %s → %s', (from, to) => {
    expect(forbidden(from, to)).toBeNull();
  });

  it('finds a circle', () => {
    const edge = (from: string, to: string) => ({ from, to });
    expect(findCircle([edge('a', 'b'), edge('b', 'c'), edge('c', 'a')])).toEqual(['a', 'b', 'c', 'a']);
    expect(findCircle([edge('a', 'b'), edge('b', 'c'), edge('a', 'c')])).toBeNull();
  });
});
