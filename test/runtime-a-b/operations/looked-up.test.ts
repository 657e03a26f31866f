/** What a look-up says of a write that its caller heard nothing of: while it runs, when it has ended, when nobody runs it any more. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ownProgram } from '../../support/program.ts';
import { verifies } from '../../verifies.ts';
import { callOver, envelopeFor, fakeHerdr, newId, tempFolder, testRuntime, until } from '../support/index.ts';

const WRITER = await ownProgram(new URL('./killed-writer.ts', import.meta.url));

const asking = (params: object) => ({ method: 'herdr_mcp.dispatch.status', params: JSON.stringify(params) });

it('runs at first, with the advice to wait, and later gives what the call answered', async () => {
  verifies('dispatch.receipts');
  let release = () => {};
  const herdr = await fakeHerdr({
    'pane.send_text': async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return { type: 'ok' };
    },
  });
  const rt = await testRuntime({ herdrSocket: herdr.path });
  onTestFinished(async () => {
    await rt.end();
    await herdr.stop();
  });
  const id = newId();
  const args = { method: 'pane.send_text', params: '{"pane_id":"w1:p1","text":"x"}' };
  const calling = callOver(rt.fetch, envelopeFor('herdr_call', args, { dispatch_id: id }), args);
  await until('Herdr has it', () => herdr.requests.some(({ method }) => method === 'pane.send_text'));
  const look = async () => (await rt.call('herdr_call', asking({ dispatch_id: id }))).json;
  expect(await look()).toMatchObject({
    found: true,
    dispatch: { state: 'running', delivery: 'unknown', next: expect.stringContaining('do not send it again') },
  });
  release();
  await calling;
  const settled = await look();
  expect(settled).toMatchObject({ dispatch: { state: 'settled', call_ok: true }, result: { ok: true } });
  expect(settled['dispatch']).not.toHaveProperty('next');
});

it('is not said to run when the process that ran it is dead', async () => {
  verifies('dispatch.receipts', 'runtime.ledger');
  const folder = tempFolder();
  const stateDir = join(folder.path, 'state');
  mkdirSync(stateDir, { mode: 0o700 });
  const rt = await testRuntime({ stateDir });
  onTestFinished(async () => {
    await rt.end();
    folder.remove();
  });
  const file = join(folder.path, 'a.txt');
  writeFileSync(file, 'old');
  const id = newId();
  const given = JSON.stringify({ stateDir, moment: 'before', id, file, key: 'k' });
  const child = spawn(process.execPath, [WRITER, given], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const look = async (params: object) => (await rt.call('herdr_call', asking(params))).json;
  expect(await look({ dispatch_id: id })).toMatchObject({ dispatch: { state: 'running' } });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const judged = { dispatch_id: id, state: 'interrupted', delivery: 'not_delivered', code: 'interrupted' };
  expect(await look({ last: 1 })).toMatchObject({ dispatches: [judged] });
  expect(await look({ dispatch_id: id })).toMatchObject({ dispatch: judged, result: { code: 'interrupted' } });
});
