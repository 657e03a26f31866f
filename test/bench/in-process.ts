/**
 * The runtime's own rooms in this process, from dispatcher to tools, with ledger and audit on and a scripted Herdr that
 * shows the given directories: what rows need that are measured "in the runtime process".
 */
import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { classify } from '../../contract/call.ts';
import { openBrowser } from '../../runtime-a-b/browser/index.ts';
import { openCapability } from '../../runtime-a-b/capability/index.ts';
import { openContinuity } from '../../runtime-a-b/continuity/index.ts';
import { createExec } from '../../runtime-a-b/exec/index.ts';
import { createHerdrClient, watchHerdr } from '../../runtime-a-b/herdr/index.ts';
import { AuditTrail, Boots, Dispatcher, Ledger, Revocations } from '../../runtime-a-b/operations/index.ts';
import { createRoots } from '../../runtime-a-b/roots/index.ts';
import { openState } from '../../runtime-a-b/state/index.ts';
import { openTasks } from '../../runtime-a-b/tasks/index.ts';
import { checkCall, createTools } from '../../runtime-a-b/tools/index.ts';
import {
  DEVICE,
  envelopeFor,
  fakeHerdr,
  pane,
  silent,
  snapshotOf,
  tab,
  tempFolder,
  until,
  workspace,
} from '../runtime-a-b/support/index.ts';

export interface InProcess {
  /** Runs one call as the loopback door does; the bytes of its result. Throws when the tool did not do it. */
  call(tool: string, args: Record<string, unknown>): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** How a result begins that is no failure, and how much of one is looked at. */
const WENT_WELL = '{"content":[{"type":"text","text":"{\\"ok\\":true';
const HEAD_BYTES = 600;

/** The JSON that a tool answered, out of the bytes of its result. */
export function answerIn(body: Uint8Array): Record<string, unknown> {
  const { content } = JSON.parse(Buffer.from(body).toString('utf8')) as { content: [{ text: string }] };
  return JSON.parse(content[0].text) as Record<string, unknown>;
}

/** One workspace for each list of directories, with a pane in each. */
export async function inProcess(workspaces: readonly (readonly string[])[]): Promise<InProcess> {
  const folder = tempFolder('hm-bench-');
  const stateDir = `${folder.path}/state`;
  const herdrServer = await fakeHerdr({ 'session.snapshot': () => snapshotOf(pictureOf(workspaces)) });
  const homeDir = homedir();
  const state = openState(stateDir);
  const boot = { bootId: `boot_bench_${process.pid}`, generation: 'a' } as const;
  const boots = new Boots(state, boot, { version: '0', nowMs: Date.now() });
  const ledger = new Ledger(state, boot);
  const trail = new AuditTrail(state);
  const herdr = createHerdrClient(herdrServer.path);
  const live = watchHerdr(herdr, { nowMs: Date.now, log: silent });
  const exec = createExec({ stateDir, ...boot, nowMs: Date.now, log: silent, env: process.env, homeDir });
  const { methods, written } = openContinuity(state);
  const parts = { state, live, herdr, nowMs: Date.now, log: silent };
  const { callers } = openBrowser({ ...parts, deviceId: DEVICE, random: randomBytes });
  const tasks = openTasks({
    ...parts,
    bootId: boot.bootId,
    isAlive: (id) => boots.isAlive(id),
    sessionOf: () => null,
    send: () => Promise.reject(new Error('no row of the benchmark has a parent to wake')),
  });
  tasks.start(() => {});
  const capability = openCapability({ ...parts, stateDir, herdrCommand: 'herdr', path: '' });
  const dispatcher = new Dispatcher({
    ledger,
    boots,
    trail,
    revocations: new Revocations(state),
    log: silent,
    nowMs: Date.now,
    check: checkCall,
    isSessionRunning: (id) => exec.isRunning(id),
    startedCommand: (id) => exec.startedBy(id),
    settleFiles: () => undefined,
    written,
    perform: createTools({
      live,
      herdr,
      roots: createRoots({ homeDir, protectedFolders: [], nowMs: Date.now }),
      exec,
      policy: { readOnly: false, writeRoots: undefined, protectedFolders: [], homeDir, stateDir },
      herdrCommand: 'herdr',
      log: silent,
      nowMs: Date.now,
      ledger,
      tasks: { ...tasks, callers },
      methods: { ...methods, ...tasks.methods },
      capability,
      progressiveSkills: false,
      running: (id) => dispatcher.running(id),
      recover: () => dispatcher.recover(),
      runtime: { ...boot, version: '0', startedAtMs: Date.now() },
    }),
  });
  await until('the picture', () => live.view().workspaces.length === workspaces.length);
  return {
    async call(tool, args) {
      const { body } = await dispatcher.submit(envelopeFor(tool, args), args, classify(tool, args), 'loopback');
      const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, HEAD_BYTES)).toString();
      if (!head.startsWith(WENT_WELL)) throw new Error(`${tool}: ${head}`);
      return body;
    },
    async close() {
      await dispatcher.drain();
      trail.flush();
      await exec.close();
      await tasks.stop();
      capability.close();
      await live.stop();
      state.close();
      await herdrServer.stop();
      folder.remove();
    },
  };
}

function pictureOf(workspaces: readonly (readonly string[])[]): object {
  const ids = workspaces.map((_, index) => `w${index + 1}`);
  return {
    workspaces: ids.map((id, index) => workspace(id, { focused: index === 0 })),
    tabs: ids.map((id) => tab(`${id}:t1`)),
    panes: ids.flatMap((id, index) => (workspaces[index] ?? []).map((cwd, n) => pane(`${id}:p${n + 1}`, { cwd }))),
    focused_workspace_id: 'w1',
  };
}
