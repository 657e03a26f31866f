/** A state folder, a scripted Herdr with an agent and a boss, and runtimes that start and stop over both. */
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type TestRuntime, tempFolder, testRuntime, until } from '../support/index.ts';
import { conversation, type Desk, desk } from './desk.ts';
import { type Scripted, scriptedHerdr } from './scripted.ts';

export const me = conversation('mine');

export interface Place extends Desk {
  readonly herdr: Scripted;
  readonly stateDir: string;
  /** The runtime that is asked. */
  rt: TestRuntime;
  start(generation?: 'a' | 'b'): Promise<TestRuntime>;
  stop(one: TestRuntime): Promise<void>;
  /** What was typed for an agent. */
  typed(name: string): { text: string }[];
  moreLooks(count: number): Promise<boolean>;
}

/** Made anew before each test of the file, and gone after it. A prompt makes an agent work unless a test says otherwise. */
export function place(): Place {
  let folder: ReturnType<typeof tempFolder>;
  const running: TestRuntime[] = [];
  const made: { -readonly [Name in keyof Place]: Place[Name] } = {
    ...desk(() => made.rt),
    // The three are there from the first test's beginning on.
    herdr: undefined as never,
    rt: undefined as never,
    stateDir: '',
    async start(generation = 'a') {
      const { herdr, stateDir } = made;
      const one = await testRuntime({ herdrSocket: herdr.server.path, stateDir, generation });
      running.push(one);
      return one;
    },
    async stop(one) {
      running.splice(running.indexOf(one), 1);
      await one.end();
    },
    typed: (name) => made.herdr.prompts.filter(({ target }) => target === name),
    moreLooks(count) {
      const enough = made.herdr.looks + count;
      return until('more looks', () => made.herdr.looks >= enough);
    },
  };
  beforeEach(async () => {
    folder = tempFolder();
    made.stateDir = join(folder.path, 'state');
    made.herdr = await scriptedHerdr(['child', 'boss']);
    made.herdr.onPrompt = (name) => made.herdr.set(name, 'working');
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.end();
    await made.herdr.server.stop();
    folder.remove();
  });
  return made;
}
