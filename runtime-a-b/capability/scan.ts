/** One scan: which kinds of agents there are, what is installed of each, and what it says about itself. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical.ts';
import type { Log } from '../../local/log/index.ts';
import { run } from '../../local/spawn/index.ts';
import type { HerdrClient, HerdrView } from '../herdr/index.ts';
import { kindsInHelp, PROBED, traitsOfHelp, versionIn } from './interpret.ts';
import { ADAPTER_VERSION, PROBE_BYTES, PROBE_MS, PROBE_PARALLEL, RECORDS_MAX } from './limits.ts';
import { type Binary, findBinary, probe } from './probe.ts';
import type { CapabilityRecord } from './record.ts';

export interface ScanParts {
  herdr: Pick<HerdrClient, 'callAny'>;
  view: HerdrView;
  /** Herdr's own command, asked for the kinds that it can start. */
  herdrCommand: string;
  /** Where programs are looked for. */
  path: string;
  nowMs: () => number;
  log: Log;
  signal: AbortSignal;
}

/** A kind of agent and where we know it from. */
interface Kind {
  agent: string;
  manifestVersion: string | null;
  manifestSource: string | null;
  /** Herdr says that it can start one; unknown when Herdr did not say. */
  startable: boolean | undefined;
}

export interface ScanResult {
  records: CapabilityRecord[];
  /** Records taken over because nothing about them has changed. */
  cached: number;
  /** Sources that did not answer; what they would have added is unknown. */
  unknown_sources: string[];
}

/** Evidence is taken over when its fingerprint still holds and it is deep enough, unless `refresh` asks for all anew. */
export async function scan(
  parts: ScanParts,
  known: readonly CapabilityRecord[],
  depth: { deep: boolean; refresh: boolean },
): Promise<ScanResult> {
  const { kinds, unknown } = await kindsOf(parts);
  let cached = 0;
  const records: CapabilityRecord[] = [];
  const queue = kinds.slice(0, RECORDS_MAX);
  const worker = async () => {
    for (let kind = queue.shift(); kind && !parts.signal.aborted; kind = queue.shift()) {
      const binary = findBinary(kind.agent, parts.path);
      const fingerprint = fingerprintOf(kind, binary);
      const old = known.find((record) => record.agent === kind.agent);
      const enough = old?.fingerprint === fingerprint && (!depth.deep || old.probe_level !== 'version');
      if (old && enough && !depth.refresh && old.problem === undefined) {
        cached += 1;
        records.push(old);
      } else {
        records.push(await examine(kind, binary, fingerprint, depth.deep, parts));
      }
    }
  };
  await Promise.all(Array.from({ length: PROBE_PARALLEL }, worker));
  return { records: records.sort((a, b) => (a.agent < b.agent ? -1 : 1)), cached, unknown_sources: unknown };
}

async function examine(
  kind: Kind,
  binary: Binary | null,
  fingerprint: string,
  deep: boolean,
  { path, nowMs, signal }: ScanParts,
): Promise<CapabilityRecord> {
  const at = nowMs();
  const record: CapabilityRecord = {
    agent: kind.agent,
    fingerprint,
    probe_level: 'none',
    observed_at_ms: at,
    manifest_version: kind.manifestVersion,
    binary,
    traits: {},
  };
  if (!binary) {
    // Seen not to be there: that is evidence, unlike a trait that nobody looked for.
    record.traits.available_for_start = observed(false, 'PATH', at, 'no such program');
    return record;
  }
  if (kind.startable !== undefined) {
    record.traits.available_for_start = observed(kind.startable, 'herdr and PATH', at);
  }
  if (!PROBED.has(kind.agent)) return record;
  const version = await probe(binary, ['--version'], path, signal);
  if (!version.ok) return { ...record, problem: version.problem };
  record.probe_level = 'version';
  const found = versionIn(version.output);
  if (found) {
    record.traits.binary_version = {
      value: found,
      source: `${kind.agent} --version`,
      authority: 'self_report',
      observed_at_ms: at,
    };
  }
  if (!deep) return record;
  const help = await probe(binary, ['--help'], path, signal);
  if (!help.ok) return { ...record, problem: help.problem };
  return { ...record, probe_level: 'deep', traits: { ...record.traits, ...traitsOfHelp(kind.agent, help.output, at) } };
}

const observed = (value: boolean, source: string, observed_at_ms: number, detail?: string) => ({
  value,
  source,
  authority: 'observed' as const,
  observed_at_ms,
  ...(detail === undefined ? {} : { detail }),
});

/** Binary, manifest and adapter; a change of any makes older evidence none. */
function fingerprintOf(kind: Kind, binary: Binary | null): string {
  const { agent, manifestVersion, manifestSource } = kind;
  const parts = { agent, manifestVersion, manifestSource, adapter: ADAPTER_VERSION, binary };
  return `sha256:${createHash('sha256').update(canonicalJson(parts)).digest('hex')}`;
}

async function kindsOf({ herdr, view, herdrCommand, log, signal }: ScanParts) {
  const kinds = new Map<string, Kind>();
  const unknown: string[] = [];
  const add = (agent: string): Kind | undefined => {
    if (!/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(agent)) return undefined;
    const kind = kinds.get(agent) ?? { agent, manifestVersion: null, manifestSource: null, startable: undefined };
    kinds.set(agent, kind);
    return kind;
  };
  if (view.state === 'unknown') unknown.push('agent.list');
  for (const { agent } of view.agents) if (agent) add(agent.toLowerCase());
  for (const { agent, version, source } of await manifests(herdr, log)) {
    const kind = add(agent);
    if (kind) [kind.manifestVersion, kind.manifestSource] = [version, source];
  }
  const help = await startHelp(herdrCommand, view, signal);
  if (help === undefined) unknown.push('herdr agent start --help');
  for (const agent of help ?? []) add(agent);
  if (help) for (const kind of kinds.values()) kind.startable = help.includes(kind.agent);
  // What is looked for also where Herdr names nothing: a program on the PATH is a fact of its own.
  for (const agent of PROBED) add(agent);
  return { kinds: [...kinds.values()].sort((a, b) => (a.agent < b.agent ? -1 : 1)), unknown };
}

/** Herdr's detection manifests; the embedded server and older ones have none. */
async function manifests(herdr: ScanParts['herdr'], log: Log) {
  try {
    const result = await herdr.callAny('server.agent_manifests', {}, { timeoutMs: PROBE_MS });
    const list = Array.isArray(result.manifests) ? (result.manifests as Record<string, unknown>[]) : [];
    return list.map((one) => ({
      agent: String(one.agent ?? ''),
      version: typeof one.active_version === 'string' ? one.active_version.slice(0, 160) : null,
      source: typeof one.source === 'string' ? one.source.slice(0, 160) : null,
    }));
  } catch (error) {
    log.debug({ err: error }, 'Herdr gave no agent manifests');
    return [];
  }
}

/** Kinds that Herdr can start, by its own command; undefined when it cannot say. */
async function startHelp(command: string, view: HerdrView, signal: AbortSignal): Promise<string[] | undefined> {
  if (!view.server || view.server.embedded) return undefined;
  const options = { timeoutMs: PROBE_MS, maxBytes: PROBE_BYTES, signal };
  const result = await run(command, ['agent', 'start', '--help'], options).catch(() => undefined);
  if (result?.code !== 0) return undefined;
  const kinds = kindsInHelp(result.stdout.toString('utf8'));
  return kinds.length === 0 ? undefined : kinds;
}
