import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenAt } from '../../../../runtime-a-b/http/extension/place.ts';
import { verifies } from '../../../verifies.ts';
import { tempFolder } from '../../support/index.ts';

let folder: ReturnType<typeof tempFolder>;
let path: string;
const servers: Server[] = [];
beforeEach(() => {
  folder = tempFolder();
  mkdirSync(join(folder.path, 'state'), { mode: 0o700 });
  path = join(folder.path, 'state', 'extension.sock');
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map(closed));
  folder.remove();
});

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

function server(): Server {
  const made = createServer((socket) => socket.destroy());
  servers.push(made);
  return made;
}

/** A socket file whose server was killed: the file stays, nobody answers. */
async function deadSocket(at: string): Promise<void> {
  const dead = server();
  await new Promise<void>((resolve) => dead.listen(`${at}.d`, resolve));
  linkSync(`${at}.d`, at);
  await closed(dead);
}

const code = (expected: string) => expect.objectContaining({ name: 'LocalError', code: expected });

describe('where the extension socket is bound', () => {
  it('a free path: a socket of mode 0600, and nothing else beside it', async () => {
    verifies('herdr.push');
    const remove = await listenAt(server(), path);
    expect(lstatSync(path).isSocket()).toBe(true);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    remove();
    expect(existsSync(path)).toBe(false);
  });

  it('a dead socket of ours is replaced', async () => {
    await deadSocket(path);
    const mine = server();
    const called = once(mine, 'connection');
    await listenAt(mine, path);
    connect(path).resume();
    await called;
  });

  it('a live socket is never unlinked', async () => {
    verifies('herdr.push');
    await listenAt(server(), path);
    const before = lstatSync(path).ino;
    await expect(listenAt(server(), path)).rejects.toEqual(code('extension_socket_live'));
    expect(lstatSync(path).ino).toBe(before);
  });

  it('a file is left as it is', async () => {
    writeFileSync(path, 'mine');
    await expect(listenAt(server(), path)).rejects.toEqual(code('extension_socket_refused'));
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it.each(['a dead socket', 'nothing'])('a symlink to %s is left as it is', async (target) => {
    verifies('herdr.push');
    const elsewhere = join(folder.path, 'elsewhere.sock');
    if (target === 'a dead socket') await deadSocket(elsewhere);
    symlinkSync(elsewhere, path);
    await expect(listenAt(server(), path)).rejects.toEqual(code('extension_socket_refused'));
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(existsSync(elsewhere)).toBe(target === 'a dead socket');
  });

  it('a folder that is a symlink is refused', async () => {
    symlinkSync(join(folder.path, 'state'), join(folder.path, 'link'));
    const through = join(folder.path, 'link', 'extension.sock');
    await expect(listenAt(server(), through)).rejects.toEqual(code('folder_not_private'));
    expect(existsSync(path)).toBe(false);
  });

  it('a path that some system would cut is refused by name', async () => {
    const long = join(folder.path, 'x'.repeat(100), 'extension.sock');
    await expect(listenAt(server(), long)).rejects.toEqual(code('socket_path_too_long'));
  });

  it('at the end only our own file goes, not the one that took its place', async () => {
    verifies('herdr.push');
    const remove = await listenAt(server(), path);
    unlinkSync(path);
    await listenAt(server(), path);
    remove();
    expect(existsSync(path)).toBe(true);
  });
});
