/** P1: a read through the whole path beside a bare Worker, object and socket. P15: the list while nobody is connected. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { TOOLS_LIST_BYTES_MAX } from '../../contract/limits.ts';
import { startWorkerd } from '../../scripts/workerd/index.ts';
import { compareCompiled } from './measure.ts';
import { post } from './post.ts';
import { SAMPLE_FILE, type Stage } from './stage.ts';
import { type Row, ratioRow } from './table.ts';

export async function readThroughTheWholePath(stage: Stage): Promise<Row> {
  const body = JSON.stringify(callOf('herdr_fs_read', { path: join(stage.repository, SAMPLE_FILE) }));
  const ours = () => post(stage.product.mcpUrl, body, headers(stage.accessToken));
  const answer = await ours();
  if (!answer.includes('quick brown fox')) throw new Error(`not the file: ${answer.subarray(0, 400)}`);
  const floor = await openFloor(stage.stateDir, answer.length);
  try {
    const comparison = await compareCompiled({
      ours,
      floor: () => post(floor.url, body, headers('none')),
    });
    return ratioRow(
      { id: 'P1', what: 'herdr_fs_read of 1.5 kB, whole path', beside: 'Worker + object + socket echo' },
      comparison,
      { p50: 2, p95: 3 },
      { 'ratio over the first 600 calls': comparison.young.toFixed(2) },
    );
  } finally {
    await floor.close();
  }
}

export async function listWhileOffline(stage: Stage): Promise<Row> {
  const link = stage.product.pids['link'];
  if (link === undefined) throw new Error('no link to stop');
  process.kill(link, 'SIGSTOP');
  try {
    const answer = await post(
      stage.product.mcpUrl,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      headers(stage.accessToken),
    );
    const tools = JSON.parse(answer.toString()).result.tools.length as number;
    return {
      id: 'P15',
      what: 'tools/list, workstation silent',
      beside: '',
      bar: `≤ ${TOOLS_LIST_BYTES_MAX} bytes, answered`,
      held: answer.length <= TOOLS_LIST_BYTES_MAX && tools === 19,
      facts: { bytes: answer.length, tools },
    };
  } finally {
    process.kill(link, 'SIGCONT');
  }
}

export async function openFloor(
  stateDir: string,
  answerBytes: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const folder = join(import.meta.dirname, 'floor');
  const workerd = await startWorkerd({
    entry: join(folder, 'worker.js'),
    configDir: join(stateDir, 'floor'),
    storage: null,
    port: 0,
    compatibilityDate: '2026-10-01',
    compatibilityFlags: [],
    durableObjects: { ECHO: 'Echo' },
    text: {},
  });
  const echo = spawn(
    process.execPath,
    [join(folder, 'echo.js'), workerd.origin.replace('http', 'ws'), String(answerBytes)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(echo.stdout, 'data');
  return {
    url: workerd.origin,
    close: async () => {
      const gone = once(echo, 'exit');
      await workerd.close();
      await gone;
    },
  };
}

export const callOf = (name: string, args: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

export const headers = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
});
