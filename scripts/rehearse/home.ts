/** A home of its own with everything that an installation touches in it, and the commands run as a person runs them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type RunResult, run } from '../../local/spawn/index.ts';
import { changeDesired, readDesired, readObserved } from '../../runtime-a-b/generations/index.ts';
import { anyFreePort } from '../start/ports.ts';

/** A promotion is watched for a moment only: what dies here dies at once. */
const OBSERVATION = { checks: 3, interval_ms: 200 };

/** A command waits for a start, gates and an observation. */
const COMMAND_MS_MAX = 180_000;

export interface State {
  /** Release that services would start from. */
  installed: string | undefined;
  serving: string | undefined;
  previous: string | undefined;
  refused: readonly string[];
  supervisor: string;
  wanted: string;
  trouble: string | undefined;
}

export class Home {
  readonly root: string;
  readonly stateDir: string;
  readonly env: NodeJS.ProcessEnv;
  #up: { process: ChildProcess; ended: Promise<number | null> } | undefined;

  /** Ends a command that runs. */
  readonly signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.signal = signal;
    this.root = mkdtempSync(join(tmpdir(), 'hm-re-'));
    this.stateDir = join(this.root, 'state');
    const clean = Object.entries(process.env).filter(([name]) => !/^(npm_|HERDR|XDG_)/.test(name));
    this.env = {
      ...Object.fromEntries(clean),
      HOME: this.root,
      HERDR_MCP_STATE_DIR: this.stateDir,
      HERDR_MCP_SECRETS: 'file',
      HERDR_SOCKET_PATH: join(this.root, 'nobody.sock'), // whatever Herdr runs here is not touched
    };
  }

  /** Ports that nobody has and a short observation, instead of the installed product's. */
  async prepare(): Promise<void> {
    mkdirSync(this.stateDir, { mode: 0o700 });
    const config = { runtime: { port: await anyFreePort(), candidate_port: await anyFreePort() } };
    writeFileSync(join(this.stateDir, 'config.json'), JSON.stringify(config), { mode: 0o600 });
    await changeDesired(this.stateDir, (now) => ({ ...now, observation: OBSERVATION }));
  }

  /** `herdr-mcp` of a release's folder, or the installed one. */
  async command(args: readonly string[], release?: string): Promise<RunResult> {
    const program =
      release === undefined ? join(this.root, '.local', 'bin', 'herdr-mcp') : join(release, 'dist', 'herdr-mcp.js');
    return run(process.execPath, [program, ...args], {
      env: this.env,
      cwd: this.root,
      timeoutMs: COMMAND_MS_MAX,
      ...(this.signal ? { signal: this.signal } : {}),
    });
  }

  /**
   * Starts a command and ends it with SIGKILL as soon as `when` holds; resolves when it is gone, with whether it was killed
   * or had ended before.
   */
  async killed(args: readonly string[], when: () => boolean | Promise<boolean>): Promise<'killed' | 'ended'> {
    const program = join(this.root, '.local', 'bin', 'herdr-mcp');
    const child = spawn(process.execPath, [program, ...args], { env: this.env, cwd: this.root, stdio: 'ignore' });
    let over = false;
    const ended = new Promise<void>((resolve) =>
      child.once('exit', () => {
        over = true;
        resolve();
      }),
    );
    while (!over && !(await when())) await new Promise((resolve) => setImmediate(resolve));
    const how = over ? 'ended' : 'killed';
    child.kill('SIGKILL');
    await ended;
    return how;
  }

  /** `herdr-mcp up` in the foreground, as a service would run it. */
  up(): void {
    const child = spawn(process.execPath, [join(this.root, '.local', 'bin', 'herdr-mcp'), 'up', '--service'], {
      env: this.env,
      cwd: this.root,
      stdio: 'ignore',
    });
    this.#up = { process: child, ended: new Promise((resolve) => child.once('exit', resolve)) };
  }

  /** As `systemctl restart` does with KillMode=process: only the supervisor ends; the next one takes its children over. */
  async restartUp(): Promise<void> {
    this.#up?.process.kill('SIGTERM');
    await this.#up?.ended;
    this.up();
  }

  /** How `up` ended. */
  get ended(): Promise<number | null> {
    return this.#up?.ended ?? Promise.resolve(null);
  }

  async state(): Promise<State> {
    const [{ up, observed }, desired] = await Promise.all([readObserved(this.stateDir), readDesired(this.stateDir)]);
    return {
      installed: this.#current(),
      serving: up ? observed?.active?.revision : undefined,
      previous: observed?.previous,
      refused: observed?.refused.map(({ revision }) => revision) ?? [],
      supervisor: up ? (observed?.state ?? 'starting') : 'none',
      wanted: desired === undefined ? 'nothing' : desired.running ? 'running' : 'stopped',
      trouble: observed?.trouble,
    };
  }

  #current(): string | undefined {
    try {
      return basename(readlinkSync(join(this.stateDir, 'releases', 'current')));
    } catch {
      return undefined; // nothing is installed
    }
  }

  async remove(): Promise<void> {
    if (this.#up && this.#up.process.exitCode === null) {
      this.#up.process.kill('SIGINT'); // ends its children too
      await this.#up.ended;
    }
    rmSync(this.root, { recursive: true, force: true });
  }
}
