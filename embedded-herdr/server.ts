import { randomBytes } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePrivateDir } from '../local/files/index.ts';
import { eventRing } from './events/index.ts';
import { checkoutFinder, systemGit } from './git/index.ts';
import { RING_EVENTS, SIGNAL_STEP_MS, TICK_MS } from './limits.ts';
import { answerer, parseRequest } from './methods/index.ts';
import { endSession, signalProcess, systemProcesses } from './processes/index.ts';
import { keepSession, restoreSession } from './restart/index.ts';
import { closeSession, emptySession, type Log } from './session/index.ts';
import { type Answer, listenAt } from './socket/index.ts';
import { openTerminal } from './terminal/index.ts';
import { watchPanes } from './watch/index.ts';

export interface EmbeddedHerdrOptions {
  socketPath: string;
  /** Where the layout is kept for a restart; made with mode 0700 where it is missing. */
  stateDir: string;
  /** The shell of every pane; else `$SHELL`, else `/bin/sh`. */
  shell?: string;
  /** What panes inherit; else this process's environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** What panes find in HERDR_BIN_PATH. */
  binPath?: string;
  /** Leave out the events that a real Herdr leaves out (tests of clients that must survive that). */
  imitateGaps?: boolean;
  log: Log;
}

export interface EmbeddedHerdr {
  socketPath: string;
  /** Ends every process of every pane, answers who still waits, and removes the socket. May be called twice. */
  close(): Promise<void>;
  /** Settles when the server has ended, also by `server.stop`. */
  closed: Promise<void>;
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const isDirectory = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

function chooseShell(wanted: string | undefined, log: Log): { file: string; args: readonly string[] } {
  const file = wanted !== undefined && isExecutable(wanted) ? wanted : '/bin/sh';
  if (wanted !== undefined && file !== wanted)
    log.warn({ shell: wanted }, 'this shell cannot be run; panes get /bin/sh');
  // As on a real Herdr: a login shell on macOS, where the terminal is what reads the profile.
  return { file, args: process.platform === 'darwin' ? ['-l'] : [] };
}

/** What a call gets that arrives while the server ends. */
function closingAnswer(line: string): Answer {
  const request = parseRequest(line);
  const id = typeof request === 'string' ? '' : request.id;
  return { line: { id, error: { code: 'server_unavailable', message: 'the server is ending; nothing was done' } } };
}

/**
 * Serves Herdr's socket protocol at a path over real PTYs, until it is closed or told to stop. Throws `SocketRefused`
 * (a link, another live server) or a `LocalError` (path too long, state folder not ours) before anything is opened.
 */
export async function startEmbeddedHerdr(options: EmbeddedHerdrOptions): Promise<EmbeddedHerdr> {
  const { socketPath, stateDir, log } = options;
  const env = options.env ?? process.env;
  const now = (): number => performance.now();
  const processes = systemProcesses(process.platform, now);
  ensurePrivateDir(stateDir);
  const session = emptySession({
    processes,
    openTerminal,
    isDirectory,
    checkoutOf: checkoutFinder(now),
    now,
    randomHex: () => randomBytes(6).toString('hex'),
    endSession: (leader) => endSession(leader, SIGNAL_STEP_MS, { processes, signal: signalProcess, sleep }),
    shell: chooseShell(options.shell ?? env['SHELL'], log),
    inheritedEnv: env,
    home: env['HOME'] ?? homedir(),
    socketPath,
    binPath: options.binPath ?? process.argv[1] ?? process.execPath,
    ring: eventRing(RING_EVENTS),
    log,
    imitateGaps: options.imitateGaps ?? false,
  });
  let closing: Promise<void> | undefined;
  let ended: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const answer = answerer({ session, stopServer: () => void close(), git: systemGit(env) });
  let opened: () => void = () => undefined;
  const restored = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const listener = await listenAt(
    socketPath,
    async (line, ears) => {
      await restored;
      return closing ? closingAnswer(line) : answer(line, ears);
    },
    (error) => log.error({ error }, 'a connection failed'),
  );
  // Only who holds the socket may open or keep anything: a second server is refused before it touches the state.
  await restoreSession(session, stateDir);
  const keeper = keepSession(session, stateDir);
  const stopWatching = watchPanes(session, TICK_MS);
  opened();
  log.info({ socket: socketPath }, 'the embedded Herdr answers');

  function close(): Promise<void> {
    closing ??= (async () => {
      stopWatching();
      await keeper.stop();
      await Promise.all([listener.close(), closeSession(session)]);
      log.info({ socket: socketPath }, 'the embedded Herdr has ended, and every process in its panes');
      ended();
    })();
    return closing;
  }
  return { socketPath, close, closed };
}
