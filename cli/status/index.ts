/** `herdr-mcp status`: what is known here about this workstation, each truth asked of its owner. */

import { viewOf } from '../../contract/control/index.ts';
import { readDevice, readLinkStatus } from '../../link/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import { readDesired, readObserved, readPointer, readRecord } from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { takeFleet, takePicture } from '../live/index.ts';
import { age, oneLine, say, sayJson } from '../terminal/index.ts';
import { askRuntime } from './runtime.ts';
import {
  agentLines,
  fleetSentence,
  herdrSentence,
  linkSentence,
  runtimeSentence,
  supervisorSentence,
} from './words.ts';

export { askRuntime, type RuntimeAnswer } from './runtime.ts';
export { linkSentence } from './words.ts';

export const status = action(
  'status',
  'This workstation: pairing, link, runtime, what its agents do, and the fleet',
  { json: { type: 'boolean', description: 'Answer in JSON' } },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const [device, link, pointer, desired, { up, observed }, picture, fleet] = await Promise.all([
      readDevice(stateDir),
      readLinkStatus(stateDir),
      readPointer(stateDir),
      readDesired(stateDir),
      readObserved(stateDir),
      takePicture(stateDir),
      takeFleet(stateDir),
    ]);
    const view = picture && viewOf(picture);
    const record = pointer && (await readRecord(stateDir, pointer.generation));
    const runtime = record ? await askRuntime(record.port) : ({ state: 'absent' } as const);
    if (args.json)
      return sayJson({
        state_dir: stateDir,
        device: device ?? null,
        link,
        runtime: { ...runtime, record: record ?? null },
        paused: desired?.paused ?? null,
        view: view ?? null,
        fleet: fleet ?? null,
        supervisor: up ? { pid: up.pid, state: observed?.state ?? 'starting' } : null,
      });
    say(fact('state', stateDir));
    say(
      fact('device', device ? `${device.name} (${device.device_id}), paired with ${device.edge_origin}` : 'not paired'),
    );
    if (device) say(fact('MCP', device.mcp_url));
    say(fact('link', linkSentence(link, Date.now())));
    say(fact('runtime', runtimeSentence(runtime, record)));
    say(fact('runs', supervisorSentence(up, observed, desired)));
    if (device) say(fact('fleet', fleetSentence(fleet)));
    if (view) {
      say(fact('herdr', herdrSentence(view)));
      agentLines(view, Date.now()).forEach(say);
    }
    if (desired?.paused) {
      say(fact('paused', `for ${age(Date.now() - desired.paused.since_ms)}, every call is refused: herdr-mcp resume`));
    }
  },
);

/** Much of it was said by others, an edge, a program, a name: it stays one line under its own heading. */
const fact = (name: string, sentence: string): string => `${name.padEnd(10)}${oneLine(sentence)}`;
