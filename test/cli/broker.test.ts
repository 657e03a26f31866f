import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BROKER_REVISION } from '../../contract/broker.ts';
import { verifies } from '../verifies.ts';
import { COMMAND } from './fake-edge.ts';

function place() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'hm-bc-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const guarded = join(base, 'guarded');
  mkdirSync(guarded);
  const env = { ...process.env, HERDR_MCP_STATE_DIR: join(base, 's'), HOME: base };
  mkdirSync(join(base, 's'), { mode: 0o700 });
  const cli = async (...words: string[]) => {
    const child = spawn(process.execPath, [COMMAND, 'broker', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString();
    });
    const [code] = (await once(child, 'close')) as [number];
    return { code, out };
  };
  const protect = () => {
    const config = { policy: { protected_folders: [guarded] } };
    writeFileSync(join(base, 's', 'config.json'), JSON.stringify(config), { mode: 0o600 });
  };
  return { base, guarded, env, cli, protect };
}

it('herdr-mcp broker says what is protected and who serves it, and runs the broker in the foreground', async () => {
  verifies('roots.protected');
  const { guarded, env, cli, protect } = place();
  expect(await cli('status')).toMatchObject({ code: 0, out: expect.stringContaining('No folder is protected') });
  expect((await cli('run')).code).toBe(1);
  protect();
  expect(await cli('status')).toMatchObject({ code: 1, out: expect.stringContaining('herdr-mcp broker run') });
  const broker = spawn(process.execPath, [COMMAND, 'broker', 'run'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(broker.stdout, 'data');
  const { code, out } = await cli('status', '--json');
  expect([code, JSON.parse(out)]).toMatchObject([0, { folders: [guarded], revision: BROKER_REVISION, serves: true }]);
  expect((await cli('run')).code).toBe(1);
  broker.kill('SIGTERM');
  expect((await once(broker, 'exit'))[0]).toBe(0);
});

it('herdr-mcp broker status names the command that replaces one which is too old', async () => {
  verifies('roots.protected');
  const { base, cli, protect } = place();
  protect();
  const old = createServer((peer) => peer.end(`${JSON.stringify({ broker: 'herdr-mcp', revision: 3 })}\n`));
  await new Promise<void>((resolve) => old.listen(join(base, 's', 'broker.sock'), resolve));
  onTestFinished(() => void old.close());
  expect(await cli('status')).toMatchObject({
    code: 1,
    out: expect.stringContaining('herdr-mcp broker run --replace'),
  });
});
