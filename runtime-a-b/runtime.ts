/** Puts one generation together, from its database to its port, and takes it apart again. */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { ACTUATION_EVENT } from '../contract/browser/actuation.ts';
import { DEVICE_ID, timeOrdered } from '../contract/ids.ts';
import { type Config, readConfig } from '../local/config/index.ts';
import { readPrivateFile } from '../local/files/index.ts';
import { createLog, type Log } from '../local/log/index.ts';
import { collectWhenIdle } from '../local/memory/index.ts';
import { statePaths } from '../local/paths/index.ts';
import { VERSION } from '../local/version/index.ts';
import { createAdviser } from './advice/index.ts';
import { openBrowser, openDispatches } from './browser/index.ts';
import { openCapability } from './capability/index.ts';
import { openContinuity } from './continuity/index.ts';
import { serviceEnvironment } from './exec/environment/index.ts';
import { createExec, sessionPrefix } from './exec/index.ts';
import { openFleet } from './fleet/index.ts';
import { type Generation, removeRecord, writeRecord } from './generations/index.ts';
import { createHerdrClient, herdrSocketPath, watchHerdr } from './herdr/index.ts';
import { createPushFeed, type HttpParts, listen, openExtensionSocket, runningNow } from './http/index.ts';
import { AUDIT_TTL_MS, FORGET_INTERVAL_MS, SWEEP_INTERVAL_MS } from './limits.ts';
import { AuditTrail, Boots, Dispatcher, keyDigest, Ledger, Revocations } from './operations/index.ts';
import { Owned } from './owned.ts';
import { plannerMethods } from './planner-methods.ts';
import { policyFrom } from './policy.ts';
import { createRoots } from './roots/index.ts';
import { RunningCalls } from './running-calls.ts';
import { factsOf, healthOf, recordOf } from './said.ts';
import { openSemantic } from './semantic/index.ts';
import { isProgressive } from './skills/index.ts';
import { openState } from './state/index.ts';
import { type Runtime, stoppable } from './stoppable.ts';
import { openTasks, type Tasks } from './tasks/index.ts';
import { runtimeToken } from './token.ts';
import { recoverPatches } from './tools/files/index.ts';
import { checkCall, createTools } from './tools/index.ts';
import { wakeDispatch } from './wake-dispatch.ts';
import { Wishes } from './wishes.ts';

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

type Env = Readonly<Record<string, string | undefined>>;

/** Starts one generation and resolves when it can be called. Throws a `LocalError` with one sentence for a person. */
export async function startRuntime(options: RuntimeOptions, outside: Outside): Promise<Runtime> {
  const owned = new Owned();
  try {
    return await assemble(options, outside, owned);
  } catch (error) {
    await owned.release();
    throw error;
  }
}

/** What a process gives its runtime. */
export interface Outside {
  env: Env;
  /** Standard error when absent. */
  log?: Log;
}

async function assemble(options: RuntimeOptions, outside: Outside, owned: Owned): Promise<Runtime> {
  const { generation, stateDir } = options;
  const { env } = outside;
  const nowMs = Date.now;
  const startedAtMs = nowMs();
  const log = outside.log ?? createLog({ name: `runtime-${generation}` });
  const state = openState(stateDir);
  owned.add(() => state.close());
  const boot = { bootId: `boot_${timeOrdered(startedAtMs, randomBytes(10))}`, generation };
  const boots = new Boots(state, boot, { version: VERSION, nowMs: startedAtMs });
  owned.add(() => boots.end(nowMs()));
  const ledger = new Ledger(state, boot);
  const trail = new AuditTrail(state);
  owned.add(() => trail.flush());
  const revocations = new Revocations(state);
  const continuity = openContinuity(state);
  const { methods, written } = continuity;
  const homeDir = env.HOME || homedir();
  const ownFolders = [resolve(stateDir), realpathSync.native(stateDir)];
  const config = await readConfig(statePaths(stateDir).config);
  const policyOf = (now: Config) => policyFrom(env, { homeDir, stateDir, ownFolders }, now.policy);
  const policy = policyOf(config);
  const configured = (now: Config) => {
    const { readOnly, writeRoots } = policyOf(now); // protected folders need a start: roots and broker stand on them
    Object.assign(policy, { readOnly, writeRoots });
  };
  const wishes = new Wishes({ stateDir, generation, configured, nowMs, log });
  const calls = new RunningCalls();
  owned.add(collectWhenIdle(() => calls.work()));
  const [token, deviceId] = await Promise.all([runtimeToken(stateDir), ownDevice(stateDir)]);
  const herdr = createHerdrClient(socketPathOf(options, env, homeDir));
  const live = watchHerdr(herdr, { nowMs, log });
  owned.add(() => live.stop());
  const roots = createRoots({ homeDir, protectedFolders: policy.protectedFolders, nowMs });
  const exec = createExec({ stateDir, generation, bootId: boot.bootId, nowMs, log, env, homeDir });
  owned.add(() => exec.close());
  const semantic = openSemantic({ stateDir, nowMs, log });
  const herdrCommand = env.HERDR_BIN || 'herdr';
  const serviceEnv = serviceEnvironment(env, homeDir);
  const path = serviceEnv.PATH ?? '';
  const capability = openCapability({ stateDir, live, herdr, herdrCommand, path, nowMs, log });
  owned.add(() => capability.close());
  const owes: Tasks['owes'] = (...given) => tasks.owes(...given);
  const browser = openBrowser({ state, deviceId, nowMs, random: randomBytes, log, owes });
  const { callers } = browser;
  const send = wakeDispatch(() => dispatcher, deviceId);
  const tasks = openTasks({
    state,
    bootId: boot.bootId,
    isAlive: (id) => boots.isAlive(id),
    live,
    herdr,
    nowMs,
    log,
    sessionOf: ({ principal, callerSession }) =>
      callerSession === undefined ? null : callers.sessionOf({ principal, callerSession }),
    send,
    adviser: createAdviser(semantic),
  });
  owned.add(() => tasks.stop());
  const wake = (event: object) => push.say({ type: ACTUATION_EVENT, data: { ...event } });
  const isActive = () => wishes.isActive();
  const shared = { state, nowMs, random: randomBytes, log, isActive };
  const dispatches = openDispatches({ ...shared, callers, send, wake, moveTasks: tasks.moveParent });
  owned.add(() => dispatches.stop());
  const running = (id: string) => dispatcher.running(id);
  const settleFiles = (dispatchId?: string) => {
    for (const { outcome, paths, conflicts } of recoverPatches(stateDir, dispatchId)) {
      log.warn({ outcome, paths, conflicts }, 'a change of files that a stopped process had begun was settled');
    }
  };
  const runtime = { generation, bootId: boot.bootId, version: VERSION, startedAtMs };
  const dispatcher: Dispatcher = new Dispatcher({
    ledger,
    boots,
    trail,
    revocations,
    log,
    nowMs,
    check: wishes.before(checkCall, (envelope, args) => ledger.isKnown(envelope, args, nowMs())),
    isSessionRunning: (id) => exec.isRunning(id),
    startedCommand: (id) => exec.startedBy(id),
    settleFiles,
    written,
    perform: calls.tracking(
      nowMs,
      createTools({
        live,
        herdr,
        roots,
        exec,
        policy,
        herdrCommand,
        log,
        nowMs,
        ledger,
        tasks: { ...tasks, callers },
        methods: {
          ...methods,
          ...tasks.methods,
          ...dispatches.methods,
          ...plannerMethods({ semantic, capability, tasks: tasks.methods, env: serviceEnv }),
        },
        capability,
        progressiveSkills: isProgressive(env),
        running,
        recover: () => dispatcher.recover(),
        runtime,
      }),
    ),
  });

  settleFiles();
  const recovered = await dispatcher.recover();
  if (recovered > 0) log.warn({ recovered }, 'calls of a stopped process were judged');
  const said = { generation, bootId: boot.bootId, startedAtMs, nowMs };
  const targetOf = (id: string) => ledger.find(id)?.target;
  const isOwn = (id: string) => id.startsWith(sessionPrefix(generation, boot.bootId));
  const http: HttpParts = {
    dispatcher,
    revocations,
    token,
    facts: () => factsOf(said, live.view()),
    running: () => runningNow({ calls, exec, view: () => live.view(), targetOf, isOwn }),
    isActive,
    health: () => healthOf(said, live.view(), { active: dispatcher.active, extensionSocket: extension.state() }),
    deviceId,
    semantic,
    continuity,
    browser,
    dispatches,
    tasks,
    fleet: openFleet(stateDir, nowMs),
    recorded: (principal, key) => ledger.recorded(keyDigest(principal, key)),
    live,
    nowMs,
    log,
  };
  const push = createPushFeed({ live, herdr, roots, bootId: boot.bootId, nowMs });
  owned.add(() => push.close());
  tasks.start((event) =>
    push.say({ type: 'agent_task', workspace: event.workspace, pane: event.pane, data: { ...event } }),
  );
  const extension = await openExtensionSocket(statePaths(stateDir).extensionSocket, http, push);
  owned.add(() => extension.close());
  const server = await listen(options.port, http);
  owned.add(() => server.close());
  const record = recordOf(said, server.port);
  await writeRecord(stateDir, record);
  owned.add(() => removeRecord(stateDir, record));

  const forget = () => {
    ledger.forget(nowMs(), (id) => exec.isRunning(id));
    trail.forget(nowMs());
    tasks.forget();
    dispatches.forget();
    boots.forget(nowMs() - AUDIT_TTL_MS);
  };
  const housekeeping = [
    setInterval(() => dispatcher.sweep(), SWEEP_INTERVAL_MS),
    setInterval(forget, FORGET_INTERVAL_MS),
    setTimeout(forget, SWEEP_INTERVAL_MS),
  ];
  owned.add(() => {
    for (const timer of housekeeping) clearTimeout(timer);
  });
  return stoppable(record, options.parentPid, dispatcher, owned);
}

function socketPathOf(options: RuntimeOptions, env: Env, homeDir: string): string {
  const { herdrSocket } = options;
  const explicit = herdrSocket === undefined ? {} : { explicitPath: herdrSocket };
  return herdrSocketPath({ ...explicit, env, homeDir, tempDir: tmpdir() });
}

/** The id that the edge gave this workstation; `local` while it is not paired. */
async function ownDevice(stateDir: string): Promise<string> {
  const bytes = await readPrivateFile(statePaths(stateDir).device);
  const id = /"device_id"\s*:\s*"([^"]+)"/.exec(bytes?.toString('utf8') ?? '')?.[1];
  return id !== undefined && DEVICE_ID.test(id) ? id : 'local';
}
