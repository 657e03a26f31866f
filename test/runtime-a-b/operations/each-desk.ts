/** A desk of its own for each test, and what is asked there. */
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { tempFolder } from '../support/index.ts';
import { type Desk, openDesk } from './desk.ts';

export let folder: ReturnType<typeof tempFolder>;
export let desk: Desk;
beforeEach(() => {
  folder = tempFolder();
  desk = openDesk(join(folder.path, 'state'));
});
afterEach(() => {
  desk.close();
  folder.remove();
});

export const WRITE = { path: '/r/a.txt', content: 'x' };
export const other = { kind: 'connector', id: 'conn_2', label: 'Claude' } as const;
export const later = () => {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open };
};
