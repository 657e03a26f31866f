/** `herdr-mcp connector …`: who may use this fleet from the web, decided at a workstation. */
import { group } from '../command.ts';
import { approve } from './approve.ts';
import { inspect } from './inspect.ts';
import { deny, list, revoke } from './list.ts';

export const connector = group('connector', 'Web AIs that may use this fleet', {
  list,
  inspect,
  approve,
  deny,
  revoke,
});
