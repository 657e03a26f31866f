/**
 * A Herdr at a socket path: ours as its own process, or the one that HERDR_BIN names. The suite knows only the socket;
 * where it has to know which one answers, it says why (`differences.ts`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PaneInfo } from '../../../contract/herdr/index.ts';
import { program } from '../../support/program.ts';
import { Caller } from './caller.ts';
import { until } from './poll.ts';

const MAIN = process.env['HERDR_BIN'] ? '' : await program('embedded-herdr');
const AGENTS = fileURLToPath(new URL('../agents', import.meta.url));

/** Quiet and offline: no first-run screen, no look for updates. */
const REAL_CONFIG = 'onboarding = false\n[update]\nversion_check = false\nmanifest_check = false\n';

export interface Herdr extends Caller {
  readonly kind: 'embedded' | 'real';
  /** What it answers to ping. */
  readonly version: string;
  /** A folder for this server alone, with its real path; `work` in it is where panes begin. */
  readonly base: string;
  readonly work: string;
  readonly child: ChildProcess;
  /** What the server has written to stderr. */
  log(): string;
  /** A workspace with one shell that has shown its prompt. */
  open(label: string, params?: { cwd?: string; env?: Record<string, string> }): Promise<PaneInfo>;
  /** What stands on the screen of a pane. */
  screen(pane: string): Promise<string>;
  /** Runs a shell command and waits for a line that its command line does not contain. */
  run(pane: string, command: string, expected: string): Promise<string>;
  stop(): Promise<void>;
}

/** The shell's prompt, a word that no command prints by chance. */
const PROMPT = 'ready> ';

export interface HerdrOptions {
  /** Starts again in the folder of a server that has ended. */
  base?: string;
  /** Extra arguments of the embedded server. */
  args?: readonly string[];
  env?: Record<string, string>;
}

class Started extends Caller implements Herdr {
  readonly kind: 'embedded' | 'real';
  version = 'unknown';
  readonly base: string;
  readonly work: string;
  readonly child: ChildProcess;
  #stderr = '';

  constructor(kind: 'embedded' | 'real', base: string, socket: string, child: ChildProcess) {
    super(socket);
    this.kind = kind;
    this.base = base;
    this.work = join(base, 'work');
    this.child = child;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString('utf8');
    });
  }

  log(): string {
    return this.#stderr;
  }

  async open(label: string, params: { cwd?: string; env?: Record<string, string> } = {}): Promise<PaneInfo> {
    const { root_pane } = await this.call('workspace.create', { cwd: this.work, label, ...params });
    await this.prompt(root_pane.pane_id);
    return root_pane;
  }

  async prompt(pane: string): Promise<void> {
    await until(`a prompt in ${pane}`, async () => (await this.screen(pane)).trimEnd().endsWith(PROMPT.trimEnd()));
  }

  async screen(pane: string): Promise<string> {
    return (await this.call('pane.read', { pane_id: pane, source: 'visible' })).read.text;
  }

  async run(pane: string, command: string, expected: string): Promise<string> {
    await this.call('pane.send_input', { pane_id: pane, text: command, keys: ['enter'] });
    return until(`${JSON.stringify(expected)} after ${command}`, async () => {
      const text = await this.screen(pane);
      return text.includes(expected) ? text : undefined;
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
      this.child.kill('SIGTERM');
      await ended;
    }
  }
}

function launch(base: string, options: HerdrOptions): Started {
  const socket = join(base, 'herdr.sock');
  const env = {
    ...process.env,
    HOME: join(base, 'home'),
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_RUNTIME_DIR: join(base, 'run'),
    SHELL: '/bin/sh',
    ENV: join(base, 'shellrc'),
    PATH: `${AGENTS}:${process.env['PATH']}`,
    ...options.env,
  };
  const real = process.env['HERDR_BIN'];
  const child = real
    ? spawn(real, ['server'], { env: { ...env, HERDR_SOCKET_PATH: socket }, stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn(process.execPath, [MAIN, '--socket', socket, '--state-dir', join(base, 'state'), ...(options.args ?? [])], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
  child.stdout?.resume();
  return new Started(real ? 'real' : 'embedded', base, socket, child);
}

function prepare(): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'hm-h-')));
  for (const folder of ['home', 'config/herdr', 'run', 'work']) mkdirSync(join(base, folder), { recursive: true });
  chmodSync(join(base, 'run'), 0o700);
  writeFileSync(join(base, 'config/herdr/config.toml'), REAL_CONFIG);
  // An interactive POSIX shell reads the file that ENV names.
  writeFileSync(join(base, 'shellrc'), `PS1='${PROMPT}'\n`);
  return base;
}

/** Starts a Herdr in a folder of its own and waits until it answers. */
export async function startHerdr(options: HerdrOptions = {}): Promise<Herdr> {
  const herdr = launch(options.base ?? prepare(), options);
  await until('an answer to ping', async () => {
    if (herdr.child.exitCode !== null) throw new Error(`the server ended with ${herdr.child.exitCode}: ${herdr.log()}`);
    try {
      herdr.version = (await herdr.call('ping', {})).version;
      return true;
    } catch {
      return undefined;
    }
  });
  return herdr;
}

/** Ends a server and removes its folder. */
export async function endHerdr(herdr: Herdr): Promise<void> {
  await herdr.stop();
  rmSync(herdr.base, { recursive: true, force: true });
}
