/** What a generation says about itself, to the link, to health checks and in its record. Pure apart from its own pid. */
import { CURRENT_RUNTIME } from '../contract/epochs/index.ts';
import type { RuntimeFacts } from '../contract/link/index.ts';
import { processStartTime } from '../local/spawn/index.ts';
import { VERSION } from '../local/version/index.ts';
import type { Description, Generation, RuntimeRecord } from './generations/index.ts';
import type { HerdrView } from './herdr/index.ts';
import { schemaFacts } from './state/index.ts';

export interface Self {
  generation: Generation;
  bootId: string;
  startedAtMs: number;
  nowMs: () => number;
}

/** What this program is, for whoever decides whether to run it. */
export function describe(): Description {
  return {
    version: VERSION,
    contract_epoch: CURRENT_RUNTIME.epoch,
    contract_hash: CURRENT_RUNTIME.hash,
    state: schemaFacts(),
  };
}

export function factsOf(self: Self, view: HerdrView): RuntimeFacts {
  const { server } = view;
  return {
    version: VERSION,
    generation: self.generation,
    boot_id: self.bootId,
    contract_epoch: CURRENT_RUNTIME.epoch,
    contract_hash: CURRENT_RUNTIME.hash,
    ...(server ? { herdr_version: server.version, herdr_protocol: server.protocol } : {}),
  };
}

/** Only what is in memory: a busy runtime must not look dead. */
export function healthOf(
  self: Self,
  view: HerdrView,
  now: { active: number; extensionSocket: string },
): Record<string, unknown> {
  return {
    ok: true,
    generation: self.generation,
    boot_id: self.bootId,
    pid: process.pid,
    version: VERSION,
    uptime_ms: self.nowMs() - self.startedAtMs,
    active: now.active,
    extension_socket: now.extensionSocket,
    herdr: { state: view.state, ...(view.problem ? { problem: view.problem.code } : {}) },
  };
}

export function recordOf(self: Self, port: number): RuntimeRecord {
  return {
    schema: 1,
    generation: self.generation,
    boot_id: self.bootId,
    pid: process.pid,
    process_start: processStartTime(process.pid) ?? '',
    port,
    started_at_ms: self.startedAtMs,
    version: VERSION,
    contract_epoch: CURRENT_RUNTIME.epoch,
    contract_hash: CURRENT_RUNTIME.hash,
    exec: [process.execPath, ...process.argv.slice(1, 2)],
  };
}
