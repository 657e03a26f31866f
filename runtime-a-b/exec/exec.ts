/** All commands of one generation, and everything that other generations left on disk. */
import { randomBytes } from 'node:crypto';
import { watch } from 'node:fs';
import { homedir } from 'node:os';
import { OutcomeError } from '../../contract/outcome.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import type { Log } from '../../local/log/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { patience } from '../../local/patience/index.ts';
import { SessionAhead } from './ahead.ts';
import { LoginEnvironment, type LoginFacts, type LoginOptions } from './environment/index.ts';
import { listSessions, type Meta, readMeta, sessionPath, writeDone } from './folder.ts';
import { Follow } from './follow.ts';
import { isSessionId, newestFirst, sessionId } from './ids.ts';
import { endSession } from './kill.ts';
import { FOREIGN_POLL_MS, FOREIGN_SETTLE_MS, KILL_GRACE_MS, KILL_SETTLE_MS, SWEEP_MS } from './limits.ts';
import { type OutputPage, readOutput, type View } from './output.ts';
import { type PaneDoor, startInPane } from './pane.ts';
import { everyMarked, markedProcesses, type Survivor, withPorts } from './processes.ts';
import { OwnSession } from './session.ts';
import { Settled } from './settled.ts';
import { chooseShell } from './shell.ts';
import { launch, startFailure } from './start.ts';
import { readState, type SessionState } from './state.ts';
import { sweep } from './sweep.ts';

export interface ExecOptions {
  stateDir: string;
  generation: string;
  bootId: string;
  nowMs(): number;
  log: Log;
  /** The runtime's own environment; that of the process when absent. */
  env?: Readonly<Record<string, string | undefined>>;
  homeDir?: string;
  login?: Pick<LoginOptions, 'probe' | 'limits'>;
}

export interface StartRequest {
  root: string;
  /** Canonical. */
  cwd: string;
  /** Either a command for the shell or programs with literal arguments. */
  command?: string;
  steps?: { program: string; args: string[] }[];
  /** The dispatch that asks for it. */
  dispatch?: string;
}

export interface Killed {
  /** False when nothing of it ran any more. */
  killed: boolean;
  forced: boolean;
  survivors: Survivor[];
  state: SessionState;
}

/** A session as lists show it. */
export interface SessionSummary {
  state: SessionState;
  /** What still runs of a command whose shell has ended. */
  survivors?: Survivor[];
}

export interface Exec {
  /** Starts a command and returns at once. Throws `disk_full`, `exec_start_failed`. */
  start(request: StartRequest): Promise<{ id: string; pid: number; startedAtMs: number }>;
  /** The same in a visible pane, for directories that only the terminal may enter. Throws also `utility_pane_unavailable`. */
  startInPane(request: StartRequest, door: PaneDoor): Promise<{ id: string; pid: number; startedAtMs: number }>;
  /** Waits until the command has ended, the time is over or the signal is aborted, and says how it stands then. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<SessionState>;
  /** Undefined when there is no such session. */
  look(id: string): SessionState | undefined;
  /** The session that a dispatch started, of whichever generation; undefined when there is none. */
  startedBy(dispatch: string): SessionState | undefined;
  /** A page of output. The session must exist. */
  read(id: string, view: View, offset: number, limit: number): OutputPage;
  /** Living processes of a session whose shell has ended. */
  survivors(id: string): Survivor[];
  /** Ends it. A pane is asked by `interrupt` first, since signals may not reach what a terminal runs. */
  kill(id: string, interrupt?: () => Promise<void>): Promise<Killed>;
  /** Running sessions of every generation and the newest ended ones, newest first. */
  list(max: number): SessionSummary[];
  isRunning(id: string): boolean;
  loginFacts(): LoginFacts;
  /** Lets go of everything; what runs goes on. */
  close(): Promise<void>;
}

/** One per runtime. Starts to capture the login environment at once, in the background. */
export function createExec(options: ExecOptions): Exec {
  const { generation, bootId, nowMs, log } = options;
  const env = options.env ?? process.env;
  const homeDir = options.homeDir ?? (env['HOME'] || homedir());
  const base = ensurePrivateDir(statePaths(options.stateDir).exec);
  const shell = chooseShell(env);
  const login = new LoginEnvironment({ shell, homeDir, folder: base, env, nowMs, log, ...options.login });
  const own = new Map<string, OwnSession>();
  const newId = () => sessionId(generation, bootId, nowMs(), randomBytes(4).toString('hex'));
  const ahead = new SessionAhead(base, newId, nowMs);
  let closed = false;
  const clean = () =>
    sweep(base, nowMs(), (id) => own.has(id)).catch((error: unknown) => {
      log.warn({ err: error }, 'old command output could not be removed');
    });
  let cleaning = clean();
  const sweepTimer = setInterval(() => {
    cleaning = clean();
  }, SWEEP_MS);
  sweepTimer.unref();
  const settled = new Settled(base);
  const follow = new Follow(base, { log, isOwn: (id) => own.has(id), isRunning, settled });
  follow.scan();

  function takeSession(login: Readonly<Record<string, string>>, cwd: string) {
    try {
      return ahead.take(login);
    } catch (error) {
      throw startFailure(error, cwd);
    }
  }

  function look(id: string): SessionState | undefined {
    if (!isSessionId(id)) return undefined;
    return own.get(id)?.state ?? readState(base, id, nowMs());
  }

  /** A session that was removed meanwhile runs no more. */
  function isRunning(id: string): boolean {
    return look(id)?.running ?? false;
  }

  function known(id: string): SessionState {
    const state = look(id);
    if (state !== undefined) return state;
    throw new OutcomeError('session_not_found', `There is no session ${JSON.stringify(id)}; nothing was done.`, {
      next: 'Use the session_id of an earlier answer; ended sessions are kept for 24 h.',
    });
  }

  const survivors = (id: string) => withPorts(markedProcesses(id));

  return {
    async start(request) {
      const environment = await login.current();
      const startedAtMs = nowMs();
      const prepared = takeSession(environment, request.cwd);
      const { id, pid } = prepared;
      const meta: Meta = { v: 1, id, generation, boot: bootId, shell: shell.path, startedAtMs, ...request };
      launch(prepared, meta, shell);
      const session = new OwnSession(base, meta, prepared, { nowMs, log, onGone: () => own.delete(id) });
      own.set(id, session);
      setImmediate(() => closed || ahead.prepare(environment));
      return { id, pid, startedAtMs };
    },
    async startInPane(request, door) {
      const id = newId();
      const startedAtMs = nowMs();
      const pane = { server: door.server, id: door.pane };
      const meta: Meta = { v: 1, id, generation, boot: bootId, shell: shell.path, pane, startedAtMs, ...request };
      const pid = await startInPane(sessionPath(base, id), meta, shell, door);
      follow.follow(id);
      return { id, pid, startedAtMs };
    },
    async wait(id, ms, signal) {
      known(id);
      const session = own.get(id);
      if (session === undefined) await watchForeign(sessionPath(base, id), () => isRunning(id), ms, signal);
      else await settledIn(session.ended, ms, signal);
      return known(id);
    },
    look,
    startedBy(dispatch) {
      const ids = listSessions(base).filter(isSessionId).sort(newestFirst);
      const id = ids.find((each) => readMeta(base, each)?.dispatch === dispatch);
      return id === undefined ? undefined : look(id);
    },
    read(id, view, offset, limit) {
      return readOutput(sessionPath(base, id), view, offset, limit, !known(id).running);
    },
    survivors,
    async kill(id, interrupt) {
      const before = known(id);
      if (before.running && interrupt !== undefined) {
        await interrupt();
        await watchForeign(sessionPath(base, id), () => isRunning(id), KILL_GRACE_MS, NEVER);
        const after = known(id);
        if (!after.running) return { killed: true, forced: false, survivors: survivors(id), state: after };
      }
      const ending = await endSession(base, id);
      const session = own.get(id);
      if (session !== undefined) await settledIn(session.ended, KILL_SETTLE_MS, NEVER);
      let state = own.get(id)?.state ?? readState(base, id, nowMs(), ending.signalled ? 0 : undefined) ?? before;
      if (!own.has(id) && before.running && ending.forced && state.done?.lost === true) {
        const { lost: _, ...done } = state.done;
        state = { ...state, done: { ...done, signal: 'SIGKILL' } };
        writeDone(base, id, { ...done, signal: 'SIGKILL' });
      }
      return { killed: ending.signalled && !state.running, forced: ending.forced, survivors: ending.survivors, state };
    },
    list(max) {
      const ids = listSessions(base).filter(isSessionId).sort(newestFirst);
      // Only the shown ones are read; a session without a settled end may run.
      const open = settled.open(ids);
      const over = new Set(ids);
      for (const id of open) over.delete(id);
      const states = [...open, ...[...over].slice(0, max)].flatMap((id) => look(id) ?? []);
      const running = states.filter((state) => state.running);
      const ended = states.filter((state) => !state.running);
      const shown = [...running, ...ended].slice(0, max);
      const marked = shown.some(({ done }) => done?.background === true) ? everyMarked() : undefined;
      return shown.map((state) => {
        const alive = state.done?.background === true ? withPorts(marked?.get(state.id) ?? []) : [];
        return { state, ...(alive.length === 0 ? {} : { survivors: alive }) };
      });
    },
    isRunning,
    loginFacts: () => login.facts(),
    async close() {
      closed = true;
      ahead.close();
      clearInterval(sweepTimer);
      for (const session of own.values()) session.letGo();
      await Promise.all([
        login.stop(),
        cleaning,
        follow.close(),
        ...[...own.values()].map((session) => session.quiet()),
      ]);
      own.clear();
    },
  };
}

const NEVER = new AbortController().signal;

/** Waits for a promise, at most so long. */
async function settledIn(work: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const finish = () => {
      waiting.end();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const waiting = patience(ms, finish);
    signal.addEventListener('abort', finish, { once: true });
    void work.then(finish);
  });
}

/** A command of another generation tells its end by a file; where the system reports no events, by looking. */
async function watchForeign(folder: string, isRunning: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
  if (!isRunning()) return;
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const check = () => {
    if (!isRunning()) ended();
  };
  // The exit status is written a moment before its writer is gone.
  let settling: NodeJS.Timeout | undefined;
  const watcher = watch(folder, () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      check();
    }, FOREIGN_SETTLE_MS);
  });
  watcher.on('error', () => undefined); // the timer looks as well
  const timer = setInterval(check, FOREIGN_POLL_MS);
  try {
    await settledIn(end, ms, signal);
  } finally {
    watcher.close();
    clearTimeout(settling);
    clearInterval(timer);
  }
}
