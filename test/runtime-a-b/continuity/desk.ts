/** A journal on a real `state.db` in a folder of its own, with a clock and randomness that tests steer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MethodContext } from '../../../runtime-a-b/continuity/index.ts';
import { type Journal, openJournal } from '../../../runtime-a-b/continuity/journal/index.ts';
import { openState } from '../../../runtime-a-b/state/index.ts';

export interface Desk {
  dir: string;
  journal: Journal;
  /** ms since 1970; grows by one with every look. */
  now: { ms: number };
  context(over?: Partial<MethodContext>): MethodContext;
}

export const DEVICE = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';

/** Bytes that differ from call to call and are the same in every run. */
export function countingBytes(): (count: number) => Uint8Array {
  let next = 1;
  return (count) => {
    const bytes = new Uint8Array(count);
    new DataView(bytes.buffer).setUint32(Math.max(0, count - 4), next++);
    return bytes;
  };
}

/** Open until the running test ends. */
export function openDesk(dir?: string): Desk {
  const desk = makeDesk(dir);
  onTestFinished(() => desk.close());
  return desk;
}

/** Open until somebody closes it. */
export function makeDesk(dir = mkdtempSync(join(tmpdir(), 'hm-journal-'))): Desk & { close(): void } {
  const state = openState(dir);
  const journal = openJournal(state, countingBytes());
  const now = { ms: 1_800_000_000_000 };
  let dispatches = 0;
  return {
    dir,
    close: () => {
      state.close();
      rmSync(dir, { recursive: true, force: true });
    },
    journal,
    now,
    context: (over = {}) => ({
      dispatchId: `d_${(++dispatches).toString(16).padStart(32, '0')}`,
      principal: { kind: 'connector', id: 'con_1' },
      deviceId: DEVICE,
      nowMs: () => now.ms++,
      live: { view: () => ({ server: { key: 'embedded' } }) },
      ...over,
    }),
  };
}
