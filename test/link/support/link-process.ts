/** The link as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { program } from '../../support/program.ts';
import { until } from './workstation.ts';

const MAIN = await program('herdr-link');

export class LinkProcess {
  readonly child: ChildProcess;
  out = '';
  err = '';
  exit: number | null | undefined;

  constructor(stateDir: string, more: string[] = [], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [MAIN, '--state-dir', stateDir, ...more], { env: { ...process.env, ...env } });
    this.child.stdout?.on('data', (piece) => (this.out += piece));
    this.child.stderr?.on('data', (piece) => (this.err += piece));
    this.child.once('exit', (code) => (this.exit = code));
  }

  /** The one line on stdout. */
  async connected(): Promise<Record<string, unknown>> {
    await until(() => this.out.includes('\n') || this.exit !== undefined);
    return JSON.parse(this.out) as Record<string, unknown>;
  }

  async ended(): Promise<number | null> {
    await until(() => this.exit !== undefined);
    return this.exit ?? null;
  }

  kill(): void {
    if (this.exit === undefined) this.child.kill('SIGKILL');
  }
}
