import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock } from '../../../local/files/index.ts';
import { statePaths } from '../../../local/paths/index.ts';
import { readObserved } from '../../../runtime-a-b/generations/index.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder } from '../support/index.ts';

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

function written(pid: number): void {
  const observed = {
    ...{ schema: 1, up: { pid, start: '1', version: '1.0.0', since_ms: 1 }, updated_at_ms: 1 },
    ...{ change: 3, state: 'running', children: [], refused: [] },
  };
  writeFileSync(join(folder.path, 'observed.json'), JSON.stringify(observed), { mode: 0o600 });
}

describe('what the supervisor last wrote', () => {
  it('is what it says while that one runs, and history while another one begins', async () => {
    verifies('ab.generations');
    written(process.pid);
    expect(await readObserved(folder.path)).toMatchObject({ up: undefined, observed: { state: 'running' } });
    const lock = acquireLock(statePaths(folder.path).startLock, 'up');
    if (!lock.held) throw new Error('somebody holds it');
    expect(await readObserved(folder.path)).toMatchObject({ up: { name: 'up' }, observed: { state: 'running' } });
    written(process.ppid);
    expect(await readObserved(folder.path)).toMatchObject({ up: { name: 'up' }, observed: { state: 'starting' } });
    lock.release();
  });
});
