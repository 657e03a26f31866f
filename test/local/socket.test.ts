/** A private socket: whole when it appears, and only ever our own that is removed. */
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenPrivately } from '../../local/files/index.ts';

let folder: string;
let path: string;
let server: Server;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hm-socket-'));
  path = join(folder, 's');
  server = createServer();
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
const listen = () => listenPrivately(server, path, join(folder, 'making'));

test('is only its owner’s whatever the umask is, stands alone, and goes when it is released', async () => {
  const before = process.umask(0o000);
  const release = await listen().finally(() => process.umask(before));
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['s']);
  release?.();
  expect(existsSync(path)).toBe(false);
});

test('does not replace what came meanwhile, and does not go on listening', async () => {
  writeFileSync(path, 'theirs');
  expect(await listen()).toBeNull();
  expect(readFileSync(path, 'utf8')).toBe('theirs');
  expect(readdirSync(folder)).toEqual(['s']);
  expect(server.listening).toBe(false);
});

test('that was removed takes nothing along that has its place now, though the system gave it the same number', async () => {
  const release = await listen();
  const { ino } = lstatSync(path);
  await new Promise((closed) => server.close(closed));
  unlinkSync(path);
  // The number of the one that is gone, where the file system hands it out again; else just another file.
  for (let n = 0; n < 50 && !(existsSync(path) && lstatSync(path).ino === ino); n += 1) {
    rmSync(path, { force: true });
    writeFileSync(path, 'theirs');
  }
  release?.();
  expect(readFileSync(path, 'utf8')).toBe('theirs');
});
