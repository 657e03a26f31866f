/** What only our own server promises: where it may listen, how it ends, and what comes back after that. */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SocketRefused, startEmbeddedHerdr } from '../../embedded-herdr/index.ts';
import { systemCode } from '../../local/error/index.ts';
import { verifies } from '../verifies.ts';
import { Caller, endHerdr, startHerdr, until } from './harness/index.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hm-p-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const start = (socketPath: string) => startEmbeddedHerdr({ socketPath, stateDir: join(base, 'state'), log: silent });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(process.env['HERDR_BIN'])('the socket', () => {
  it('is for its owner only, and goes with its server', async () => {
    verifies('embedded.refusals');
    const path = join(base, 'new', 'h.sock');
    const server = await start(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(base, 'new')).mode & 0o777).toBe(0o700);
    expect((await new Caller(path).call('ping', {})).type).toBe('pong');
    await server.close();
    await server.close();
    expect(readdirSync(join(base, 'new'))).toEqual([]);
  });

  it('replaces one that nobody serves any more', async () => {
    const path = join(base, 'stale.sock');
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(path)},()=>process.kill(process.pid,'SIGKILL'))`,
    ]);
    await new Promise((resolve) => child.once('exit', resolve));
    expect(existsSync(path)).toBe(true);
    const server = await start(path);
    expect((await new Caller(path).call('ping', {})).type).toBe('pong');
    await server.close();
  });

  it('is refused where another server lives, through a link, over a file, and with too long a name', async () => {
    verifies('embedded.refusals');
    const live = join(base, 'live.sock');
    const other = createServer(() => undefined);
    await new Promise<void>((resolve) => other.listen(live, resolve));
    await expect(start(live)).rejects.toThrow(/another server already answers/);
    const link = join(base, 'link.sock');
    symlinkSync(live, link);
    await expect(start(link)).rejects.toThrow(/symbolic link/);
    const dangling = join(base, 'dangling.sock');
    symlinkSync(join(base, 'nothing'), dangling);
    await expect(start(dangling)).rejects.toBeInstanceOf(SocketRefused);
    const file = join(base, 'file.sock');
    writeFileSync(file, 'mine');
    await expect(start(file)).rejects.toThrow(/no socket/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await expect(start(join(base, `${'l'.repeat(100)}.sock`))).rejects.toThrow(/\d+ bytes long/);
    expect(existsSync(join(base, 'nothing'))).toBe(false);
    await new Promise((resolve) => other.close(resolve));
  });

  it('of a server that is only slow is not taken: neither one that stands still, nor one whose queue is full', async () => {
    verifies('embedded.refusals');
    const path = join(base, 'slow.sock');
    const script = `require('net').createServer(()=>{}).listen({path:${JSON.stringify(path)},backlog:1},()=>console.log('up'))`;
    const slow = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const waiting: Socket[] = [];
    try {
      await new Promise((resolve) => slow.stdout.once('data', resolve));
      slow.kill('SIGSTOP');
      await expect(start(path)).rejects.toThrow(/already answers/);
      // Linux alone tells a full queue from nobody: macOS refuses both alike.
      if (process.platform === 'linux') {
        const isFull = () =>
          new Promise<boolean>((resolve) => {
            const socket = connect(path, () => resolve(false));
            waiting.push(socket);
            socket.on('error', () => resolve(true));
          });
        while (!(await isFull()));
        await expect(start(path)).rejects.toThrow(/only slow/);
      }
      expect(existsSync(path)).toBe(true);
      expect(existsSync(join(base, 'state', 'embedded-herdr.json'))).toBe(false);
      for (const socket of waiting) socket.destroy();
      slow.kill('SIGCONT');
      const reached = () =>
        new Promise<unknown>((resolve) => {
          const socket = connect(path, () => resolve(socket.end()));
          socket.on('error', resolve);
        });
      // It has a queue to work off first.
      let answer = await reached();
      while (systemCode(answer) === 'EAGAIN') answer = await reached();
      expect(answer).not.toBeInstanceOf(Error);
    } finally {
      slow.kill('SIGKILL');
    }
  });

  it('of another server that took the place is left when ours ends', async () => {
    const path = join(base, 'taken.sock');
    const server = await start(path);
    rmSync(path);
    const other = createServer((socket) => socket.end('other'));
    await new Promise<void>((resolve) => other.listen(path, resolve));
    await server.close();
    expect(existsSync(path)).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });
});

describe.skipIf(process.env['HERDR_BIN'])('what a real Herdr leaves unsaid', () => {
  /** What a subscriber hears while the last panes of two workspaces go: one is closed, the shell of the other ends. */
  async function heard(imitateGaps: boolean): Promise<string[]> {
    const path = join(base, `gaps-${imitateGaps}.sock`);
    const server = await startEmbeddedHerdr({
      socketPath: path,
      stateDir: join(base, `state-${imitateGaps}`),
      shell: '/bin/sh',
      imitateGaps,
      log: silent,
    });
    try {
      const caller = new Caller(path);
      const stream = await caller.subscribe(
        (['tab.closed', 'workspace.closed', 'pane.closed', 'pane.exited', 'workspace.created'] as const).map(
          (type) => ({ type }),
        ),
      );
      const closed = await caller.call('workspace.create', { cwd: base });
      const ended = await caller.call('workspace.create', { cwd: base });
      await caller.call('pane.close', { pane_id: closed.root_pane.pane_id });
      await caller.call('pane.send_input', { pane_id: ended.root_pane.pane_id, text: 'exit', keys: ['enter'] });
      await stream.event('pane_exited');
      // The list is the only authority: it is right whatever the events leave out.
      await until('both gone', async () => (await caller.call('workspace.list', {})).workspaces.length === 0);
      const named = (event: string, workspace: string) =>
        `${event} ${workspace === closed.workspace.workspace_id ? 'closed' : 'ended'}`;
      // What is said after this one came after everything about the two.
      const mark = await caller.call('workspace.create', { cwd: base });
      const isMark = (data: Record<string, unknown>) => JSON.stringify(data).includes(mark.workspace.workspace_id);
      await stream.event('workspace_created', isMark);
      const events = stream.events
        .filter(({ event }) => event !== 'workspace_created')
        .map(({ event, data }) => named(event, String(data['workspace_id'])));
      stream.close();
      return events;
    } finally {
      await server.close();
    }
  }

  it('is said by ours, and left out where a test asks for that: no tab_closed, and nothing after an exit', async () => {
    verifies('embedded.events');
    const both = ['pane_closed closed', 'workspace_closed closed', 'pane_exited ended'];
    expect((await heard(true)).sort()).toEqual([...both].sort());
    const more = ['tab_closed closed', 'tab_closed ended', 'workspace_closed ended'];
    expect((await heard(false)).sort()).toEqual([...both, ...more].sort());
  });
});

describe.skipIf(process.env['HERDR_BIN'])('the process', () => {
  it('ends with its panes on a signal, and leaves no process', async () => {
    verifies('embedded.pty');
    const herdr = await startHerdr();
    const pids: number[] = [];
    for (let i = 0; i < 3; i++) {
      const { pane_id } = await herdr.open(`p${i}`);
      await herdr.call('pane.send_input', { pane_id, text: 'sleep 600 & sleep 600', keys: ['enter'] });
      const { process_info } = await herdr.call('pane.process_info', { pane_id });
      pids.push(process_info.shell_pid ?? 0);
    }
    await herdr.stop();
    expect(herdr.child.exitCode).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(herdr.path)).toBe(false);
    await endHerdr(herdr);
  });

  it('ends when the process that it was started for is gone', async () => {
    const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const herdr = await startHerdr({ args: ['--parent-pid', String(parent.pid)] });
    parent.kill('SIGKILL');
    await until('the end of the server', () => herdr.child.exitCode !== null);
    expect(herdr.child.exitCode).toBe(0);
    await endHerdr(herdr);
  });

  it('brings workspaces, tabs, panes and their directories back after a restart, without what ran in them', async () => {
    verifies('embedded.restart');
    const first = await startHerdr();
    const pane = await first.open('kept');
    const tab = await first.call('tab.create', { workspace_id: pane.workspace_id, cwd: first.base, label: 'second' });
    const split = await first.call('pane.split', {
      target_pane_id: pane.pane_id,
      direction: 'down',
      ratio: 0.3,
      cwd: first.base,
    });
    await first.call('pane.rename', { pane_id: split.pane.pane_id, label: 'tests' });
    await first.call('pane.send_input', { pane_id: pane.pane_id, text: 'sleep 600', keys: ['enter'] });
    const closed = await first.call('workspace.create', { cwd: first.work });
    await first.call('workspace.close', { workspace_id: closed.workspace.workspace_id });
    const before = (await first.call('session.snapshot', {})).snapshot;
    await first.stop();

    const second = await startHerdr({ base: first.base });
    const after = (await second.call('session.snapshot', {})).snapshot;
    const shape = (snapshot: typeof before) => ({
      workspaces: snapshot.workspaces.map(({ workspace_id, label, active_tab_id }) => ({
        workspace_id,
        label,
        active_tab_id,
      })),
      tabs: snapshot.tabs.map(({ tab_id, label }) => ({ tab_id, label })),
      panes: snapshot.panes.map(({ pane_id, cwd, label }) => ({ pane_id, cwd, label })),
      layouts: snapshot.layouts,
      focus: snapshot.focused_pane_id,
    });
    expect(shape(after)).toEqual(shape(before));
    expect(after.tabs.some((candidate) => candidate.tab_id === tab.tab.tab_id)).toBe(true);
    expect(after.panes.map((info) => info.terminal_id)).not.toEqual(before.panes.map((info) => info.terminal_id));
    expect(second.log()).toContain('did not come back');
    const next = await second.call('workspace.create', { cwd: second.work });
    expect(before.workspaces.map((workspace) => workspace.workspace_id)).not.toContain(next.workspace.workspace_id);
    expect(next.workspace.workspace_id).not.toBe(closed.workspace.workspace_id);
    await endHerdr(second);
  });

  it('starts at home where the directory is gone, and without the last run where its file is damaged', async () => {
    verifies('embedded.restart');
    const first = await startHerdr();
    const pane = await first.open('moved');
    await first.stop();
    rmSync(first.work, { recursive: true });
    const second = await startHerdr({ base: first.base });
    expect((await second.call('pane.get', { pane_id: pane.pane_id })).pane.cwd).toBe(join(first.base, 'home'));
    expect(second.log()).toContain('is gone');
    await second.stop();
    writeFileSync(join(first.base, 'state', 'embedded-herdr.json'), '{"version":1,"workspaces":[{', { mode: 0o600 });
    const third = await startHerdr({ base: first.base });
    expect((await third.call('workspace.list', {})).workspaces).toEqual([]);
    expect(third.log()).toContain('damaged');
    await endHerdr(third);
  });

  it.each([
    ['too few', ['--socket', '/nowhere/x.sock']],
    ['a stranger', ['--help']],
  ])('says how it is started when it is given %s', async (_what, given) => {
    const main = new URL('../../embedded-herdr/main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [main, ...given], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(2);
    expect(said).toMatch(/^usage: embedded-herdr --socket PATH --state-dir DIR .*\n$/);
  });
});
