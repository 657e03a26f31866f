/** P16: from spawning the runtime's bundle to its ready line, compile cache warm, beside Node doing nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DIST } from '../../scripts/build/index.ts';
import { tempFolder } from '../runtime-a-b/support/index.ts';
import { compare } from './measure.ts';
import { type Row, ratioRow } from './table.ts';

export async function startToReady(): Promise<Row> {
  const folder = tempFolder('hm-ready-');
  let running: ChildProcess | undefined;
  const args = ['--port', '0', '--generation', 'a', '--state-dir', join(folder.path, 's')];
  const ours = async () => {
    running = spawn(
      process.execPath,
      [join(DIST, 'runtime.js'), ...args, '--herdr-socket', join(folder.path, 'none')],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    if (running.stdout === null) throw new Error('no pipe');
    const [line] = (await once(running.stdout, 'data')) as [Buffer];
    if (!line.toString().startsWith('{"ready":true')) throw new Error(`not ready: ${line.toString()}`);
  };
  const floor = async () => {
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  };
  const afterwards = async () => {
    if (running === undefined) return;
    const gone = once(running, 'exit');
    running.kill('SIGTERM');
    await gone;
    running = undefined;
  };
  try {
    const comparison = await compare({ ours, floor, afterwards, rounds: 5, calls: 5, warmUp: 2 });
    return ratioRow({ id: 'P16', what: 'runtime start to ready, cache warm', beside: 'node -e 0' }, comparison, {
      p50: 8,
    });
  } finally {
    await afterwards();
    folder.remove();
  }
}
