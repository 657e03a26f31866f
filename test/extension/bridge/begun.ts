/** A task that has begun in a chat with the bridge. */
import { call } from './chat.ts';
import { bridgeWorld, type Script, type WorldOptions } from './world.ts';

export const READ = (path: string) => call('herdr_fs_read', { path });
export const EXEC = (command: string) => call('herdr_exec', { command });

export async function begun(script: Script, options: WorldOptions = {}) {
  const world = bridgeWorld({ script, ...options });
  await world.begin();
  await world.say('do it');
  return world;
}
export const view = async (world: ReturnType<typeof bridgeWorld>) => (await world.hud()).bridge;
