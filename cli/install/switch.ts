/** From one release to another, in an order that a kill at any point leaves right: calls first, then what starts next time. */
import { changeDesired } from '../../runtime-a-b/generations/index.ts';
import { currentRelease, makeCurrent, type Release } from '../release/index.ts';
import { note, say } from '../terminal/index.ts';
import { type Place, servicePlan } from './place.ts';
import { moveTo } from './programs.ts';

/**
 * Moves calls to the release's programs, then the link's program, `current`, and the supervisor itself. Throws when the
 * new programs were refused or rolled back by themselves: `current` and everything that runs is then as before.
 */
export async function switchTo(place: Place, release: Release & { revision: string }): Promise<void> {
  const { stateDir, manager } = place;
  const moved = await moveTo(stateDir, release.revision);
  if (moved.is === 'asked') {
    note('Nothing supervises this machine at the moment: the new programs are gated and promoted when it starts.');
  } else {
    say(`serving     ${release.revision}, gated and watched`);
    await changeDesired(stateDir, (now) => ({ ...now, programs: release.revision }));
  }
  const before = await currentRelease(stateDir);
  if (before?.id !== release.id) await makeCurrent(stateDir, release.id);
  if (!manager || (await manager.state()) === 'absent') return;
  await manager.write(servicePlan(place));
  if ((await manager.state()) === 'running') await manager.restart(); // the supervisor anew; its children go on
}
