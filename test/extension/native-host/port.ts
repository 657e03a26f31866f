/** The browser's side of a native port, written for the tests: starts the installed host and talks to it in frames. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createJoiner, type FromHost, inPieces, type ToHost } from '../../../contract/extension/native.ts';
import { createFrameReader, frameOf } from '../../../extension/native-host/frames.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import { program } from '../../support/program.ts';

const MAIN = pathToFileURL(await program('herdr-native-host')).href;

/** A home, a state folder and the host's program in it, as the installer takes them. */
export function place() {
  const home = mkdtempSync(join(tmpdir(), 'nh-'));
  const stateDir = join(home, 'state');
  mkdirSync(stateDir, { mode: 0o700 });
  const program = join(home, 'program.mjs');
  writeFileSync(program, `await import(${JSON.stringify(MAIN)});\n`);
  return {
    options: {
      platform: 'linux' as const,
      home,
      env: {},
      stateDir,
      program,
      node: process.execPath,
      now: () => new Date(1_764_500_000_000),
    },
    wrapper: join(stateDir, 'native', 'herdr-extension-host'),
    socket: join(stateDir, 'extension.sock'),
    manifest: (browser: string) => join(home, '.config', browser, 'NativeMessagingHosts', 'dev.herdr.mcp.json'),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A stand-in for the runtime at its socket. */
export function runtimeAt(socket: string, listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  return new Promise((resolve) => server.listen(socket, () => resolve(server)));
}

export interface Port {
  child: ChildProcess;
  send(message: ToHost | Record<string, unknown>): void;
  bytes(bytes: Uint8Array): void;
  received: FromHost[];
  /** Bytes of each frame as it came. */
  frames: number[];
  wait<T extends FromHost['type']>(type: T, id: string | null): Promise<Extract<FromHost, { type: T }>>;
  ended: Promise<number | null>;
  close(): Promise<void>;
}

export function openPort(wrapper: string, origin: string): Port {
  const child = spawn(wrapper, [origin], { stdio: ['pipe', 'pipe', 'inherit'] });
  const received: FromHost[] = [];
  const frames: number[] = [];
  const read = createFrameReader();
  const join = createJoiner();
  child.stdout.on('data', (bytes: Buffer) => {
    for (const frame of read(bytes)) {
      if (frame.kind !== 'message') throw new Error(`the host sent a frame that is ${frame.kind}`);
      frames.push(Buffer.byteLength(JSON.stringify(frame.message)));
      const joined = join(frame.message);
      if (joined.kind === 'wrong') throw new Error('the host sent pieces that do not fit');
      if (joined.kind === 'whole') received.push(joined.message as FromHost);
    }
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let sent = 0;
  return {
    child,
    received,
    frames,
    ended,
    bytes: (bytes) => void child.stdin.write(bytes),
    send(message) {
      sent += 1;
      for (const piece of inPieces(message, `b${sent}`)) child.stdin.write(frameOf(piece));
    },
    wait: (type, id) =>
      until(`${type} of ${id}`, () =>
        received.find((one): one is Extract<FromHost, { type: typeof type }> => one.type === type && one.id === id),
      ),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
