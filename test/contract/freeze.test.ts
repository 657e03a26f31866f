import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RUNTIME_EPOCHS } from '../../contract/epochs/index.ts';
import { verifies } from '../verifies.ts';

/** A copy of the epochs in a state of its own, and the freezing of it. */
function copy(state: { runtime: string; public: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'hm-epochs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(fileURLToPath(new URL('../../contract/epochs', import.meta.url)), folder, { recursive: true });
  writeFileSync(join(folder, 'state.json'), JSON.stringify(state));
  const path = join(folder, 'runtime-5.json');
  const script = fileURLToPath(new URL('../../scripts/contract-freeze.ts', import.meta.url));
  const freeze = () => spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  return { path, freeze };
}

describe('contract:freeze', () => {
  it('refuses to change an epoch that is binding, and leaves it as it is', () => {
    verifies('contract.epochs-pinned');
    const { path, freeze } = copy({ runtime: 'binding', public: 'draft' });
    expect(freeze().status).toBe(0);
    const changed = readFileSync(path, 'utf8').replace('"herdr_exec"', '"herdr_exec_old"');
    writeFileSync(path, changed);
    expect(freeze()).toMatchObject({ status: 1, stderr: expect.stringContaining('runtime-5: is binding') });
    expect(readFileSync(path, 'utf8')).toBe(changed);
    rmSync(path);
    expect(freeze()).toMatchObject({ status: 1, stderr: expect.stringContaining('restore it with git') });
    expect(existsSync(path)).toBe(false);
  });

  it('writes an epoch anew while it is a draft', () => {
    const { path, freeze } = copy({ runtime: 'draft', public: 'draft' });
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, '{}');
    expect(freeze().status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('gives the runtime’s lists these hashes: another one is another epoch', () => {
    verifies('contract.epochs-pinned');
    expect(Object.entries(RUNTIME_EPOCHS).map(([epoch, { hash }]) => [Number(epoch), hash])).toEqual([
      [2, 'sha256:061afa8f8ca8040919bb359023f16b695b3c62ad6ab2e4a996d6fc52f6920799'],
      [4, 'sha256:958834621f0c54730a84c69e5224ea7fe5e68634eec79d151bb93b73d7b77070'],
      [5, 'sha256:c51d375cbd8f60b59bac9af503ca712a5571edbb86164f28d03fb9a170a8247d'],
    ]);
  });

  it('gives the public lists these, and none of them goes back to a draft', () => {
    verifies('contract.epochs-pinned');
    const read = (name: string) =>
      JSON.parse(readFileSync(fileURLToPath(new URL(`../../contract/epochs/${name}.json`, import.meta.url)), 'utf8'));
    expect([read('public-3').hash, read('public-8').hash]).toEqual([
      'sha256:f7dc43c7236ea66d3f8481e1f8773a18a55522c8af6dfb8ffc96a21592f6eace',
      'sha256:c3dff92c21955ce6580d1dc00538fe268c2da43b717fae84c9d9f3b24dab5921',
    ]);
    expect(read('state')).toEqual({ runtime: 'binding', public: 'binding' });
  });
});
