import { DeviceList } from '../../contract/fleet/index.ts';
import { openIdentity, readDevice, readLinkStatus } from '../../link/index.ts';
import { readConfig } from '../../local/config/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { run } from '../../local/spawn/index.ts';
import { requireNode } from '../../local/version/index.ts';
import { readPointer, readRecord } from '../../runtime-a-b/generations/index.ts';
import { openEdge } from '../edge/index.ts';
import { askRuntime, linkSentence } from '../status/index.ts';

export interface Finding {
  name: string;
  /** `unknown` is what could not be looked at because something before it failed. */
  state: 'ok' | 'failed' | 'unknown';
  fact: string;
  next?: string;
}

export interface Check {
  name: string;
  /** Names of checks without which this one means nothing. */
  after: readonly string[];
  /** Returns the fact; throws a `LocalError` with what is wrong and what to do. */
  look(env: NodeJS.ProcessEnv): Promise<string>;
}

/** In this order, each by itself: one failure hides no other, unless a check stands on it. */
export async function runChecks(checks: readonly Check[], env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings: Finding[] = [];
  const isFine = (name: string) => findings.some((finding) => finding.name === name && finding.state === 'ok');
  for (const check of checks) {
    const missing = check.after.find((name) => !isFine(name));
    if (missing) {
      findings.push({ name: check.name, state: 'unknown', fact: `not looked at, because "${missing}" is not well.` });
      continue;
    }
    try {
      findings.push({ name: check.name, state: 'ok', fact: await check.look(env) });
    } catch (error) {
      findings.push(
        error instanceof LocalError
          ? { name: check.name, state: 'failed', fact: error.message, next: error.next }
          : { name: check.name, state: 'failed', fact: error instanceof Error ? error.message : String(error) },
      );
    }
  }
  return findings;
}

export const CHECKS: readonly Check[] = [
  {
    name: 'node',
    after: [],
    look: async () => {
      requireNode();
      return process.versions.node;
    },
  },
  {
    name: 'git',
    after: [],
    look: async () => (await run('git', ['--version'])).stdout.toString('utf8').trim(),
  },
  {
    name: 'state folder',
    after: [],
    look: async (env) => ensurePrivateDir(resolveStateDir(env)),
  },
  {
    name: 'configuration',
    after: ['state folder'],
    look: async (env) => {
      const keys = Object.keys(await readConfig(statePaths(resolveStateDir(env)).config));
      return keys.length === 0 ? 'nothing set, defaults apply' : `sets ${keys.join(', ')}`;
    },
  },
  {
    name: 'runtime',
    after: ['state folder'],
    look: async (env) => {
      const stateDir = resolveStateDir(env);
      const pointer = await readPointer(stateDir);
      const record = pointer && (await readRecord(stateDir, pointer.generation));
      if (!record)
        throw new LocalError('runtime_absent', 'No generation is active.', 'Start it: npm start in the clone.');
      const answer = await askRuntime(record.port);
      if (answer.state === 'answers') return `generation ${record.generation} answers on port ${record.port}`;
      const why = answer.state === 'absent' ? 'nothing listens' : answer.why;
      throw new LocalError(
        'runtime_silent',
        `Generation ${record.generation}, port ${record.port}: ${why}.`,
        'Start it again, or see its log.',
      );
    },
  },
  {
    name: 'pairing',
    after: ['state folder'],
    look: async (env) => {
      const { device } = await openIdentity(resolveStateDir(env));
      return `${device.name} (${device.device_id}) with ${device.edge_origin}`;
    },
  },
  {
    name: 'edge',
    after: ['pairing'],
    look: async (env) => {
      const edge = await openEdge(env);
      const { devices, observed_at_ms } = await edge.call(
        DeviceList,
        { method: 'GET', path: '/devices' },
        'The edge refused',
      );
      const skew = Math.round((Date.now() - observed_at_ms) / 1000);
      const clock = Math.abs(skew) > 5 ? `; this clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}` : '';
      return `${edge.origin} knows this device, one of ${devices.length}${clock}`;
    },
  },
  {
    name: 'link',
    after: ['pairing'],
    look: async (env) => {
      const stateDir = resolveStateDir(env);
      const report = await readLinkStatus(stateDir);
      const sentence = linkSentence(report, Date.now());
      if (report.running && report.status?.state === 'connected') return sentence;
      const device = await readDevice(stateDir);
      const next = report.running
        ? `It tries by itself; check that ${device?.edge_origin ?? 'the edge'} can be reached.`
        : 'Start it: npm start in the clone.';
      throw new LocalError('link_down', `${sentence}.`, next);
    },
  },
];
