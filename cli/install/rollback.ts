/** `herdr-mcp rollback`: back to the release before. Traffic moves; what was done to files, Git and agents stays done. */
import { LocalError } from '../../local/error/index.ts';
import { readObserved } from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { currentRelease, listReleases } from '../release/index.ts';
import { say } from '../terminal/index.ts';
import { atPlace, service } from './place.ts';
import { switchTo } from './switch.ts';

export const rollback = action(
  'rollback',
  'Go back to the release that was installed before',
  {
    service,
  },
  (args) =>
    atPlace('herdr-mcp rollback', { service: args.service }, async (place) => {
      const { stateDir } = place;
      const [current, releases, { observed }] = await Promise.all([
        currentRelease(stateDir),
        listReleases(stateDir),
        readObserved(stateDir),
      ]);
      const wanted = observed?.previous;
      const before = releases.find(
        ({ id, revision }) => revision !== undefined && revision === wanted && id !== current?.id,
      );
      // Run again after a kill between the moving of calls and of `current`: calls are there already.
      const half = releases.find(({ id, revision }) => revision === observed?.active?.revision && id !== current?.id);
      const target = before ?? half;
      if (!current || !target?.revision) {
        throw new LocalError(
          'no_release_before',
          'There is no release before the installed one, so nothing was changed.',
          'herdr-mcp runtime status lists what is here.',
        );
      }
      await switchTo(place, { ...target, revision: target.revision });
      say(
        `installed   ${target.version} (${target.id}) again. What was done meanwhile to files, Git and agents stays done.`,
      );
    }),
);
