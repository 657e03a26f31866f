import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withSetting } from '../../cli/config/set.ts';
import { COMMAND } from './fake-edge.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'hm-config-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [COMMAND, 'config', ...args], {
    env: { ...process.env, HERDR_MCP_STATE_DIR: stateDir },
  });

describe('config set', () => {
  it('writes what the runtime reads, private, and keeps the rest', async () => {
    await run('set', 'read-only', 'on');
    await run('set', 'write-roots', '/work/one, /work/two');
    const file = join(stateDir, 'config.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      policy: { read_only: true, write_roots: ['/work/one', '/work/two'] },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run('path')).stdout).toBe(`${file}\n`);
    expect(JSON.parse((await run('show')).stdout)).toMatchObject({ policy: { read_only: true } });
    await expect(run('set', 'colour', 'red')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('read-only, write-roots'),
    });
  });

  it.each([
    ['read-only', 'off', {}],
    ['write-roots', 'none', { policy: { read_only: true, write_roots: [] } }],
    ['write-roots', 'all', { policy: { read_only: true } }],
    ['write-roots', 'here', { policy: { read_only: true, write_roots: ['/from/here'] } }],
  ])('%s %s', (setting, value, expected) => {
    expect(withSetting({ policy: { read_only: true } }, setting, value, '/from')).toEqual(expected);
  });

  it('says where the default device is decided instead of pretending', () => {
    expect(() => withSetting({}, 'default-device', 'dev_x', '/')).toThrow(/decided by the edge/);
  });
});
