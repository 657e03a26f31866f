/** What a paired workstation may do to another one, short of removing it, and to its own key. */
import { DeviceChanged } from '../../contract/fleet/index.ts';
import { openIdentity, requestRetry, rotateKey } from '../../link/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import { action, type Command } from '../command.ts';
import { openEdge } from '../edge/index.ts';
import { say, sayJson } from '../terminal/index.ts';
import { device, deviceIdOf } from './device.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;

/** One change of one device: by its id, answered with what it is now. */
function change(verb: string, description: string, not: string, told: (name: string) => string): Command {
  return action(verb, description, { device, json }, async (args) => {
    const body = { device_id: deviceIdOf(args.device) };
    const edge = await openEdge();
    const request = { method: 'POST', path: `/devices/${verb}`, body } as const;
    const answer = await edge.call(DeviceChanged, request, not);
    if (args.json) return sayJson(answer.device);
    say(told(answer.device.name));
  });
}

export const pause = change(
  'pause',
  'Give a workstation no new calls; it stays connected and what runs goes on',
  'The workstation was not paused everywhere',
  (name) => `Paused: ${name}. It takes no new call until: herdr-mcp worker resume`,
);
export const resume = change(
  'resume',
  'Give a paused workstation calls again',
  'The workstation was not resumed everywhere',
  (name) => `Resumed: ${name}.`,
);
export const suspend = change(
  'suspend',
  'Cut a workstation off until it is restored: no calls, no connection, no commands of its own',
  'The workstation was not suspended everywhere',
  (name) => `Suspended: ${name}. Undo it from another workstation: herdr-mcp worker restore`,
);
export const restore = change(
  'restore',
  'Let a suspended workstation back in',
  'The workstation was not restored everywhere',
  (name) => `Restored: ${name}.`,
);

export const rotate = action(
  'rotate-key',
  'Give this workstation a new key; the old one stops working at once',
  { json },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const identity = await openIdentity(stateDir);
    await rotateKey(identity, stateDir);
    // A link that waits because its key was refused tries again with the new one.
    const linkTold = requestRetry(stateDir);
    const { device_id, name } = identity.device;
    if (args.json) return sayJson({ ok: true, device_id, link_told: linkTold });
    say(`${name} (${device_id}) has a new key. Its link goes on.`);
  },
);
