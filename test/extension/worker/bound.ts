/** A chat that is bound to its workspace, with Auto on unless a test wants it off. */
import { type WorldOptions, world } from './world.ts';

export async function bound(options: WorldOptions = {}, auto = true) {
  const it = world(options);
  await it.begin();
  await it.bind();
  if (auto) await it.press({ name: 'auto', on: true });
  return it;
}
