/** `herdr-mcp service status|watch`: what the service manager says, and what its timer runs. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { readPrivateFile, writeAtomic } from '../../local/files/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { readDesired, readObserved } from '../../runtime-a-b/generations/index.ts';
import { action, group } from '../command.ts';
import { type ServiceManager, type WatchdogView, watchdogStep } from '../service/index.ts';
import { say, sayJson } from '../terminal/index.ts';
import { managerHere } from './place.ts';

const Memory = Type.Object({ schema: Type.Literal(1), last_restart_ms: Type.Integer() });

const status = action(
  'status',
  'What the service manager says of herdr-mcp',
  { json: { type: 'boolean', description: 'Answer in JSON' } },
  async (args) => {
    const manager = await here();
    const facts = {
      manager: manager?.kind ?? null,
      state: manager ? await manager.state() : null,
      folder: manager?.folder ?? null,
    };
    if (args.json) return sayJson(facts);
    say(
      manager
        ? `${facts.manager}: ${facts.state} (units in ${facts.folder})`
        : 'No service manager works in this login.',
    );
  },
);

const watch = action(
  'watch',
  'One look after the supervisor: restarts a failed or stuck one, never what the user stopped',
  { 'dry-run': { type: 'boolean', description: 'Say what it would do' } },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const manager = await here();
    if (!manager) return say('No service manager works in this login, so nothing is watched.');
    const step = watchdogStep(await lookAfter(stateDir, manager, Date.now()));
    say(`${step.do}: ${step.why}`);
    if (step.do === 'nothing' || args['dry-run']) return;
    // Remembered before it is done: a restart that never ends is not repeated at the next look.
    await writeAtomic(memoryOf(stateDir), `${JSON.stringify({ schema: 1, last_restart_ms: Date.now() })}\n`);
    await manager.restart();
  },
);

export const service = group('service', 'The user service that runs this workstation', { status, watch });

/** What the watchdog decides on, each truth asked of its owner. */
async function lookAfter(stateDir: string, manager: ServiceManager, nowMs: number): Promise<WatchdogView> {
  const [desired, { up, observed }, state, memory] = await Promise.all([
    readDesired(stateDir),
    readObserved(stateDir),
    manager.state(),
    readPrivateFile(memoryOf(stateDir)),
  ]);
  const isOpen = desired !== undefined && (observed?.change ?? 0) < desired.change;
  const remembered = memory ? parse(memory.toString('utf8')) : undefined;
  return {
    wanted: desired?.running,
    service: state,
    supervisor: up?.name,
    openSinceMs: isOpen ? statSync(statePaths(stateDir).desired).mtimeMs : undefined,
    lastRestartMs: Value.Check(Memory, remembered) ? remembered.last_restart_ms : undefined,
    nowMs,
  };
}

/** A memory that is no JSON is none: at worst the watchdog restarts once more than it would have. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const memoryOf = (stateDir: string): string => join(stateDir, 'watchdog.json');

const here = (): Promise<ServiceManager | undefined> =>
  managerHere(process.env, process.env['HOME'] || homedir(), resolveStateDir(process.env));
