import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig, saveConfig } from '../../local/config/index.ts';
import { verifies } from '../verifies.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hm-config-'));
  file = join(dir, 'config.json');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the configuration', () => {
  it('is empty without a file, and comes back as it was saved', async () => {
    expect(await readConfig(file)).toEqual({});
    const config = { runtime: { port: 9001 }, edge: { public_origin: 'https://edge.example' } };
    await saveConfig(file, config);
    expect(await readConfig(file)).toEqual(config);
  });

  it.each([
    ['{"runtime":{"prot":1}}', /unknown key "runtime\.prot"/],
    ['{"colour":1}', /unknown key "colour"/],
    ['{"runtime":{"port":"1"}}', /wrong at "runtime\.port": must be integer/],
    ['{"runtime":{"port":70000}}', /wrong at "runtime\.port"/],
    ['{"edge":{"public_origin":"https://x.example/path"}}', /wrong at "edge\.public_origin"/],
    ['{"policy":{"readonly":true}}', /unknown key "policy\.readonly"/],
    ['{"policy":{"read_only":"yes"}}', /wrong at "policy\.read_only": must be boolean/],
    ['{"policy":{"write_roots":["src"]}}', /wrong at "policy\.write_roots\.0"/],
    ['{"policy":{"protected_folders":"/p"}}', /wrong at "policy\.protected_folders"/],
    ['[]', /is wrong: must be object/],
    ['{', /is no JSON/],
    ['', /is no JSON/],
    [`"${'x'.repeat(200_000)}"`, /longer than/],
  ])('%s is refused with a sentence that names it', async (text, sentence) => {
    verifies('local.config');
    writeFileSync(file, text, { mode: 0o600 });
    await expect(readConfig(file)).rejects.toThrow(sentence);
    await expect(readConfig(file)).rejects.toThrow(file);
  });

  it('is never saved in a form that could not be read', async () => {
    await expect(saveConfig(file, { runtime: { port: 0 } })).rejects.toThrow(/runtime\.port/);
    expect(await readConfig(file)).toEqual({});
  });
});
