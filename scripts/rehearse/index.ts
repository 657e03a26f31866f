/**
 * An installation's whole life on this machine, without services and without touching the person's own: install, a good
 * update, two bad ones that go back by themselves, a rollback by hand, uninstall, and uninstall with everything.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalError } from '../../local/error/index.ts';
import type { RunResult } from '../../local/spawn/index.ts';
import { build, ROOT } from '../build/index.ts';
import { Home, type State } from './home.ts';
import { packed, variant } from './releases.ts';

export { Home, type State } from './home.ts';
export { packed, variant } from './releases.ts';

export interface Scene {
  /** What was done. */
  what: string;
  code: number | null;
  said: string;
  state: State;
}

/** How often it looks for what comes about by itself, in ms. */
const LOOK_MS = 100;

/**
 * Plays it and gives every scene; each is told to `say` as it ends. Leaves nothing behind, also when `signal` ends it early:
 * it rejects then with a `LocalError`.
 */
export async function rehearse(say: (line: string) => void, signal?: AbortSignal): Promise<Scene[]> {
  await build({ parts: ['node'], say });
  // Inside the clone, so that Node finds the native modules from there and nothing is downloaded.
  const own = join(ROOT, '.herdr-mcp');
  const folder = mkdtempSync(join(existsSync(own) ? own : ROOT, 'rehearsal-'));
  const home = new Home(signal);
  const scenes: Scene[] = [];
  const scene = async (what: string, done: Promise<RunResult | undefined>): Promise<void> => {
    const result = await done;
    if (signal?.aborted) throw interrupted();
    const said = `${result?.stdout.toString('utf8') ?? ''}${result?.stderr.toString('utf8') ?? ''}`.trim();
    const one = { what, code: result?.code ?? 0, said, state: await home.state() };
    scenes.push(one);
    shown(one).forEach(say);
  };
  try {
    await home.prepare();
    const first = await packed(ROOT, folder);
    const good = variant(first, join(folder, 'good'), '0.90.0', 'none');
    const silent = variant(first, join(folder, 'silent'), '0.91.0', 'does not start');
    const dying = variant(first, join(folder, 'dying'), '0.92.0', 'dies when calls go to it');

    await scene('install --no-service', home.command(['install', '--no-service'], first));
    await scene('up, as the service would', running(home));
    await scene('update to a good release', home.command(['update', '--no-service', good]));
    await scene('the supervisor restarts; what runs goes on', restarted(home));
    await scene('update to a release that does not start', home.command(['update', '--no-service', silent]));
    await scene('update to a release that dies when calls go to it', home.command(['update', '--no-service', dying]));
    await scene('the same bad release again', home.command(['update', '--no-service', dying]));
    await scene('rollback by hand', home.command(['rollback', '--no-service']));
    await scene('uninstall', home.command(['uninstall'], first));
    await scene(
      'up --service ended with',
      home.ended.then((code) => ({ ...NOTHING, code })),
    );
    await scene('install again', home.command(['install', '--no-service'], first));
    await scene('uninstall --purge', home.command(['uninstall', '--purge', '--yes'], first));
    say(existsSync(home.stateDir) ? `left: ${readdirSync(home.stateDir).join(', ')}` : 'Nothing is left of it.');
    return scenes;
  } finally {
    await home.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

const NOTHING: RunResult = {
  code: 0,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncated: false,
  timedOut: false,
  aborted: false,
};

/** Starts `up` and resolves when everything runs. */
export async function running(home: Home): Promise<undefined> {
  home.up();
  await until(home, ({ supervisor }) => supervisor === 'running');
}

async function restarted(home: Home): Promise<undefined> {
  await home.restartUp();
  await until(home, ({ supervisor }) => supervisor === 'running');
}

/** How many looks in a row at a supervisor in trouble before it is believed, about ten seconds. */
const TROUBLED_LOOKS = 100;

async function until(home: Home, fits: (state: State) => boolean): Promise<void> {
  let over = false;
  void home.ended.then(() => {
    over = true;
  });
  for (let troubled = 0; ; await sleep(LOOK_MS)) {
    const state = await home.state();
    if (home.signal?.aborted) throw interrupted();
    if (fits(state)) return;
    troubled = state.supervisor === 'degraded' ? troubled + 1 : 0;
    if (over || troubled > TROUBLED_LOOKS) {
      throw new LocalError(
        'rehearsal_failed',
        over ? 'The supervisor ended by itself.' : `This build does not run: ${state.trouble ?? 'no reason is given'}`,
        'Mend it, then run this again; nothing is left of the rehearsal.',
      );
    }
  }
}

const interrupted = () => new LocalError('interrupted', 'The rehearsal was ended early.', 'Nothing is left of it.');

function shown({ what, code, said, state }: Scene): string[] {
  return [
    `== ${what} (exit code ${code})`,
    ...said.split('\n').map((line) => `   ${line}`),
    `   → installed ${state.installed ?? 'nothing'}; serving ${state.serving ?? 'nothing'}; before it ${state.previous ?? 'none'}; refused ${state.refused.join(', ') || 'none'}; supervisor ${state.supervisor}; wanted ${state.wanted}`,
  ];
}
