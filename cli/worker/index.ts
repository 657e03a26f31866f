/** `herdr-mcp worker …`: the workstations of the fleet. */
import { DeviceChanged, DeviceList, type ListedDevice, Pairing } from '../../contract/fleet/index.ts';
import { moveDevice, openIdentity, pair as pairMachine } from '../../link/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import { action, group } from '../command.ts';
import { openEdge } from '../edge/index.ts';
import { UsageError } from '../exit.ts';
import { age, ask, note, readCode, say, sayJson, table } from '../terminal/index.ts';
import { device, deviceIdOf } from './device.ts';
import { pause, restore, resume, rotate, suspend } from './standing.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;

const pair = action(
  'pair',
  'Open the door for another machine: shows an address and a code',
  { name: { type: 'string', description: 'What the new machine will be called' }, json },
  async (args) => {
    const edge = await openEdge();
    const body = args.name === undefined ? {} : { name: args.name };
    const pairing = await edge.call(
      Pairing,
      { method: 'POST', path: '/devices/pairings', body },
      'No pairing was opened',
    );
    if (args.json) return sayJson(pairing);
    say(`On the new machine:  herdr-mcp worker connect "${pairing.address}"`);
    say(`Code to type there:  ${pairing.code}`);
    note(`Both work once, for ${age(pairing.expires_at_ms - Date.now())}.`);
  },
);

const connect = action(
  'connect',
  'Make this machine a workstation of a fleet, with the address and code of a paired one',
  {
    address: { type: 'positional', description: 'https://…/pair#pair_…', required: true },
    name: { type: 'string', description: 'What this machine is called; its host name when absent' },
    'code-stdin': { type: 'boolean', description: 'Read the six digits from stdin instead of asking' },
    replace: { type: 'boolean', description: 'Pair again although this machine is paired already' },
    json,
  },
  async (args) => {
    const code = () => readCode('Code of the pairing: ', args['code-stdin'] === true);
    const paired = await pairMachine(args.address, code, {
      stateDir: resolveStateDir(process.env),
      ...(args.name === undefined ? {} : { name: args.name }),
      ...(args.replace ? { replace: true } : {}),
    });
    if (args.json) return sayJson(paired);
    say(`Paired with ${paired.edge_origin} as ${paired.name} (${paired.device_id}).`);
  },
);

const list = action('list', 'The workstations of this fleet', { json }, async (args) => {
  const edge = await openEdge();
  const answer = await edge.call(DeviceList, { method: 'GET', path: '/devices' }, 'The devices were not listed');
  if (args.json) return sayJson(answer);
  table([
    ['DEVICE', 'NAME', 'CONNECTION', 'SCHEDULING', 'AUTHORISATION', 'PAIRED'],
    ...answer.devices.map((one) => [
      one.device_id,
      nameIn(answer, one),
      connectionOf(one),
      one.paused ? 'paused' : 'enabled',
      one.authorization,
      `${age(answer.observed_at_ms - one.paired_at_ms)} ago`,
    ]),
  ]).forEach(say);
});

function nameIn({ self }: DeviceList, { device_id, name, is_default }: ListedDevice): string {
  const marks = [...(device_id === self ? ['this machine'] : []), ...(is_default ? ['the default'] : [])];
  return marks.length === 0 ? name : `${name} (${marks.join(', ')})`;
}

/** Online as far as its own object knows; one that is away with the time since it was seen. */
function connectionOf(one: ListedDevice): string {
  if (one.connection === 'online' || one.last_seen_ago_ms === undefined) return one.connection;
  return `${one.connection}, seen ${age(one.last_seen_ago_ms)} ago`;
}

const rename = action(
  'rename',
  'Give a workstation another name',
  { device, name: { type: 'positional', description: 'The new name', required: true }, json },
  async (args) => {
    const body = { device_id: deviceIdOf(args.device), name: args.name };
    const edge = await openEdge();
    const answer = await edge.call(
      DeviceChanged,
      { method: 'POST', path: '/devices/rename', body },
      'Nothing was renamed',
    );
    if (args.json) return sayJson(answer.device);
    say(`${answer.device.device_id} is now called ${answer.device.name}.`);
  },
);

const revoke = action(
  'revoke',
  'Remove a workstation for ever; it can come back only as a new device',
  { device, yes: { type: 'boolean', description: 'Do not ask' }, json },
  async (args) => {
    const id = deviceIdOf(args.device);
    const edge = await openEdge();
    if (!args.yes) {
      const which = id === edge.deviceId ? 'THIS machine' : id;
      const answer = await ask(`Revoke ${which} for ever? Type yes: `, 'pass --yes');
      if (answer !== 'yes') throw new UsageError('Nothing was revoked.');
    }
    const answer = await edge.call(
      DeviceChanged,
      { method: 'POST', path: '/devices/revoke', body: { device_id: id } },
      'The device was not revoked everywhere',
    );
    if (args.json) return sayJson(answer.device);
    say(`Revoked: ${answer.device.name}.`);
  },
);

const move = action(
  'move',
  'Use another address of the same edge, as after a cutover; the link goes over by itself and calls go on',
  { address: { type: 'positional', description: 'Its host, as in herdr.example.org', required: true }, json },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const device = await moveDevice(await openIdentity(stateDir), stateDir, args.address);
    if (args.json) return sayJson(device);
    say(`${device.name} uses ${device.edge_origin}. New connectors get ${device.mcp_url}.`);
  },
);

export const worker = group('worker', 'Workstations of this fleet', {
  pair,
  connect,
  list,
  rename,
  move,
  pause,
  resume,
  suspend,
  restore,
  revoke,
  'rotate-key': rotate,
});
