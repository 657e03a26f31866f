import * as Value from 'typebox/value';
import { DeviceId } from '../../contract/fleet/index.ts';
import { UsageError } from '../exit.ts';

/** Which workstation a command is about, as an argument. */
export const device = {
  type: 'positional',
  description: 'The device’s id (dev_…), never its name',
  required: true,
} as const;

/** The id that was given. A name is refused here, before the edge is asked: two workstations may have the same one. */
export function deviceIdOf(given: string): string {
  if (Value.Check(DeviceId, given)) return given;
  throw new UsageError(
    `"${given}" is no id of a workstation (dev_ and 26 characters). \`herdr-mcp worker list\` shows them; nothing was sent.`,
  );
}
