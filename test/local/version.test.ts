import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NODE_API_MIN, requireNode, VERSION } from '../../local/version/index.ts';

describe('the version', () => {
  it('is the package’s', () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version);
  });

  it.each([
    ['22.14.0', '10'],
    ['23.6.0', '10'],
    ['24.22.3', '11'],
  ])('Node %s with Node-API %s is new enough', (node, napi) => {
    expect(() => requireNode({ node, napi })).not.toThrow();
  });

  it.each([
    ['20.20.2', '9'],
    ['22.13.1', '9'],
    ['23.5.0', '9'],
  ])('of Node %s, which is too old, is named, with the way out', (node, napi) => {
    expect(() => requireNode({ node, napi })).toThrow(`needs Node 22.14, 23.6 or later; this is ${node}.`);
  });

  it('of Node’s native interface that is asked for is the one that the database is built for', () => {
    const built = readFileSync(new URL('../../node_modules/better-sqlite3/binding.gyp', import.meta.url), 'utf8');
    expect(built).toContain(`NAPI_VERSION=${NODE_API_MIN}'`);
  });

  it('of Node that is asked for is the same before our own code can be read', () => {
    const bootstrap = readFileSync(new URL('../../scripts/bootstrap.mjs', import.meta.url), 'utf8');
    expect(bootstrap).toContain(`NODE_API_MIN = ${NODE_API_MIN};`);
  });
});
