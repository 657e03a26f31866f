/** Calls at a steady rate, whatever becomes of the ones before, and what became of each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Load {
  /** Stops starting calls and resolves when every one has been answered. */
  end(): Promise<Answers>;
}

export interface Answers {
  calls: number;
  /** What was not answered with what the call did, one sentence each. */
  failed: string[];
  /** Lines that stand in the file more than once, or though their call failed, or not at all though it was well. */
  lies: string[];
  /** From a call's own moment to its answer, in ms. */
  waitsMs: number[];
}

export interface LoadOptions {
  /** Sends one `tools/call` and resolves with the body. */
  send: (tool: string, args: Record<string, unknown>) => Promise<string>;
  repository: string;
  workspace: string;
  perSecond: number;
  /** Every n-th call appends a line of its own; the others read a file. */
  writeEvery: number;
  /** A file in the repository. */
  reads: string;
}

/** Starts calling. */
export function steadyLoad(options: LoadOptions): Load {
  const { send, repository, workspace, perSecond, writeEvery, reads } = options;
  const file = join(repository, `lines-${process.pid}-${Math.round(performance.now())}.txt`);
  const answers: Answers = { calls: 0, failed: [], lies: [], waitsMs: [] };
  const well = new Map<number, boolean>();
  const running = new Set<Promise<void>>();
  let over = false;

  async function one(n: number, dueMs: number): Promise<void> {
    const isWrite = n % writeEvery === 0;
    const said = await (isWrite
      ? send('herdr_exec', { workspace, command: `echo ${n} >> ${file}` })
      : send('herdr_fs_read', { path: join(repository, reads) })
    ).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    answers.waitsMs.push(performance.now() - dueMs);
    const isWell = said.includes('\\"ok\\":true') && (!isWrite || said.includes('\\"exit_code\\":0'));
    if (!isWell) answers.failed.push(`call ${n}: ${said.slice(0, 300)}`);
    if (isWrite) well.set(n, isWell);
  }

  const calling = (async () => {
    const beganMs = performance.now();
    for (let n = 1; !over; n += 1) {
      const dueMs = beganMs + (n * 1000) / perSecond;
      await sleep(Math.max(0, dueMs - performance.now()));
      answers.calls = n;
      const call: Promise<void> = one(n, dueMs).finally(() => running.delete(call));
      running.add(call);
    }
  })();

  return {
    async end() {
      over = true;
      await calling;
      await Promise.all(running);
      const lines = readFileSync(file, 'utf8').trim().split('\n').map(Number);
      for (const [n, isWell] of well) {
        const times = lines.filter((line) => line === n).length;
        if (times > 1 || (isWell && times !== 1)) answers.lies.push(`call ${n} stands there ${times} times`);
      }
      return answers;
    },
  };
}
