/** Puts one generation together, from its database to its port, and takes it apart again. */
import { randomBytes } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import { CURRENT_RUNTIME } from '../contract/epochs/index.ts';
import { DEVICE_ID, timeOrdered } from '../contract/ids.ts';
import type { RuntimeFacts } from '../contract/link/index.ts';
import { readPrivateFile } from '../local/files/index.ts';
import { createLog, type Log } from '../local/log/index.ts';
import { statePaths } from '../local/paths/index.ts';
import { isAlive, processStartTime } from '../local/spawn/index.ts';
import { VERSION } from '../local/version/index.ts';
import { createExec } from './exec-absent.ts';
import { type Generation, type RuntimeRecord, removeRecord, writeRecord } from './generations/index.ts';
import { createHerdrClient, herdrSocketPath, watchHerdr } from './herdr/index.ts';
import { listen } from './http/index.ts';
import { DRAIN_MS, FORGET_INTERVAL_MS, PARENT_CHECK_MS, SWEEP_INTERVAL_MS } from './limits.ts';
import { AuditTrail, Boots, Dispatcher, Ledger, Revocations } from './operations/index.ts';
import { policyFrom } from './policy.ts';
import { createRoots } from './roots/index.ts';
import { openState } from './state/index.ts';
import { runtimeToken } from './token.ts';
import { checkCall, createTools } from './tools/index.ts';

export interface RuntimeOptions {
  /** 0 means any free port. */
  port: number;
  generation: Generation;
  stateDir: string;
  /** Else as Herdr's own command finds it. */
  herdrSocket?: string;
  /** Stops when this process is gone: nobody would be left to stop it. */
  parentPid?: number;
}

export interface Runtime {
  record: RuntimeRecord;
  stop(): Promise<void>;
  /** Resolves when it has stopped, for whatever reason. */
  stopped: Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Starts one generation and resolves when it can be called. Throws a `LocalError` with one sentence for a person. */
export async function startRuntime(
  options: RuntimeOptions,
  { env, log: given }: { env: Env; log?: Log },
): Promise<Runtime> {
  const { generation, stateDir } = options;
  const nowMs = Date.now;
  const startedAtMs = nowMs();
  const log = given ?? createLog({ name: `runtime-${generation}` });
  const state = openState(stateDir);
  const boot = { bootId: `boot_${timeOrdered(startedAtMs, randomBytes(10))}`, generation };
  const boots = new Boots(state, boot, { version: VERSION, nowMs: startedAtMs });
  const ledger = new Ledger(state, boot);
  const trail = new AuditTrail(state);
  const revocations = new Revocations(state);
  const homeDir = env.HOME || homedir();
  const policy = policyFrom(env, { homeDir, stateDir });
  const socketPath = herdrSocketPath({
    ...(options.herdrSocket === undefined ? {} : { explicitPath: options.herdrSocket }),
    env,
    homeDir,
    tempDir: tmpdir(),
  });
  const herdr = createHerdrClient(socketPath);
  const live = watchHerdr(herdr, { nowMs, log });
  const roots = createRoots({ homeDir, protectedFolders: policy.protectedFolders, nowMs });
  const exec = createExec({ stateDir, generation, bootId: boot.bootId, nowMs, log });
  const dispatcher: Dispatcher = new Dispatcher({
    ledger,
    boots,
    trail,
    revocations,
    log,
    nowMs,
    check: checkCall,
    isSessionRunning: (id) => exec.isRunning(id),
    perform: createTools({
      live,
      herdr,
      roots,
      exec,
      policy,
      herdrCommand: env.HERDR_BIN || 'herdr',
      log,
      nowMs,
      ledger,
      running: (id) => dispatcher.running(id),
      runtime: { generation, bootId: boot.bootId, version: VERSION, startedAtMs },
    }),
  });

  const [token, deviceId] = await Promise.all([runtimeToken(stateDir), ownDevice(stateDir)]);
  const facts = (): RuntimeFacts => {
    const { server } = live.view();
    return {
      version: VERSION,
      generation,
      boot_id: boot.bootId,
      contract_epoch: CURRENT_RUNTIME.epoch,
      contract_hash: CURRENT_RUNTIME.hash,
      ...(server ? { herdr_version: server.version, herdr_protocol: server.protocol } : {}),
    };
  };
  const health = () => {
    const { state: herdrState, problem } = live.view();
    return {
      ok: true,
      generation,
      boot_id: boot.bootId,
      pid: process.pid,
      version: VERSION,
      uptime_ms: nowMs() - startedAtMs,
      active: dispatcher.active,
      herdr: { state: herdrState, ...(problem ? { problem: problem.code } : {}) },
    };
  };
  const recovered = await dispatcher.recover();
  if (recovered > 0) log.warn({ recovered }, 'calls of a stopped process were judged');
  const server = await listen(options.port, { dispatcher, revocations, token, facts, health, deviceId, nowMs, log });
  const record: RuntimeRecord = {
    schema: 1,
    generation,
    boot_id: boot.bootId,
    pid: process.pid,
    process_start: processStartTime(process.pid) ?? '',
    port: server.port,
    started_at_ms: startedAtMs,
    version: VERSION,
    contract_epoch: CURRENT_RUNTIME.epoch,
    contract_hash: CURRENT_RUNTIME.hash,
    exec: [process.execPath, ...process.argv.slice(1, 2)],
  };
  await writeRecord(stateDir, record);

  const timers = [
    setInterval(() => dispatcher.sweep(), SWEEP_INTERVAL_MS),
    setInterval(() => {
      ledger.forget(nowMs(), (id) => exec.isRunning(id));
      trail.forget(nowMs());
    }, FORGET_INTERVAL_MS),
    ...(options.parentPid === undefined ? [] : [followParent(options.parentPid, () => void stop())]),
  ];
  let stopping: Promise<void> | undefined;
  let tell: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const onSignal = () => void stop();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);

  function stop(): Promise<void> {
    stopping ??= shutDown().finally(tell);
    return stopping;
  }

  /** Nothing new, what runs gets a moment to finish, then it is asked to stop; what it did is recorded either way. */
  async function shutDown(): Promise<void> {
    for (const timer of timers) clearInterval(timer);
    await removeRecord(stateDir, record);
    const patience = setTimeout(() => dispatcher.cancelAll(), DRAIN_MS);
    await dispatcher.drain();
    clearTimeout(patience);
    await Promise.all([server.close(), live.stop(), exec.close()]);
    trail.flush();
    boots.end(nowMs());
    state.close();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, onSignal);
  }

  return { record, stop, stopped };
}

function followParent(pid: number, stop: () => void): NodeJS.Timeout {
  const start = processStartTime(pid) ?? '';
  return setInterval(() => {
    if (!isAlive(pid, start)) stop();
  }, PARENT_CHECK_MS);
}

/** The id that the edge gave this workstation; `local` while it is not paired. */
async function ownDevice(stateDir: string): Promise<string> {
  const bytes = await readPrivateFile(statePaths(stateDir).device);
  const id = /"device_id"\s*:\s*"([^"]+)"/.exec(bytes?.toString('utf8') ?? '')?.[1];
  return id !== undefined && DEVICE_ID.test(id) ? id : 'local';
}
