import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withSetting } from '../../cli/config/set.ts';
import { verifies } from '../verifies.ts';
import { COMMAND, DEVICE, type FakeEdge, fakeEdge } from './fake-edge.ts';

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
});

describe('the default device', () => {
  let edge: FakeEdge;
  afterEach(() => edge.close());
  const device = { device_id: DEVICE, name: 'desk', authorization: 'active', paused: false, paired_at_ms: 0 };
  const list = { ok: true, devices: [{ ...device, connection: 'online' }], self: DEVICE, observed_at_ms: 1 };

  it('is kept by the edge, named by id or name, and taken away with none', async () => {
    verifies('edge.routing');
    edge = await fakeEdge();
    edge.answers['GET /devices'] = { body: list };
    edge.answers['POST /devices/default'] = [
      { body: { ok: true, device: { ...device, is_default: true } } },
      { body: { ok: true, device: null } },
      { status: 404, body: { ok: false, code: 'not_found', message: 'No route.', next: 'Deploy.', retryable: false } },
    ];
    const set = (value: string) => edge.cli(['config', 'set', 'default-device', value]);
    expect(await set('desk')).toMatchObject({ code: 0, out: expect.stringContaining('goes to desk') });
    expect(await set('none')).toMatchObject({ code: 0, out: expect.stringContaining('no default') });
    expect(await set(DEVICE)).toMatchObject({ code: 1, err: expect.stringContaining('The default was not changed') });
    expect(await set('attic')).toMatchObject({ code: 2, err: expect.stringContaining('worker list') });
    expect(edge.asked.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
      { device_id: DEVICE },
      { device_id: null },
      { device_id: DEVICE },
    ]);
  });
});
