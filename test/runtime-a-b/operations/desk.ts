/** A dispatcher over a real database, with a tool that the test scripts. */
import { type CallEnvelope, classify } from '../../../contract/call.ts';
import {
  type Answer,
  AuditTrail,
  Boots,
  type Call,
  Dispatcher,
  type Door,
  Ledger,
  Revocations,
} from '../../../runtime-a-b/operations/index.ts';
import { openState } from '../../../runtime-a-b/state/index.ts';
import { envelopeFor, silent } from '../support/envelope.ts';

export interface Desk {
  dispatcher: Dispatcher;
  ledger: Ledger;
  trail: AuditTrail;
  revocations: Revocations;
  state: ReturnType<typeof openState>;
  /** Calls that reached the tool. */
  ran: Call[];
  /** What the tool does; the default answers `{n}` with a number that grows. */
  tool: (call: Call) => Promise<Answer>;
  /** What the clock shows, in ms. */
  now: number;
  runningSessions: Set<string>;
  /** Commands that dispatches started, as the sessions on disk would tell. */
  commands: Record<
    string,
    { id: string; running: boolean; done?: { exitCode: number | null; signal: string | null; lost?: true } }
  >;
  /** What is done about files that an interrupted call has half changed. */
  settleFiles: (dispatchId: string) => void;
  /** What `continuity.append` has committed, as its store would say. */
  written: Record<string, unknown> | 'nothing' | undefined;
  submit(tool: string, args?: Record<string, unknown>, more?: Partial<CallEnvelope>, door?: Door): Promise<Sent>;
  close(): void;
}

export interface Sent {
  envelope: Awaited<ReturnType<Dispatcher['submit']>>['envelope'];
  json: Record<string, unknown>;
}

let boots = 0;

export function openDesk(stateDir: string, generation = 'a'): Desk {
  const state = openState(stateDir);
  const boot = { bootId: `boot_${generation}_${process.pid}_${++boots}`, generation };
  const ledger = new Ledger(state, boot);
  const trail = new AuditTrail(state);
  const revocations = new Revocations(state);
  const desk: Desk = {
    ledger,
    trail,
    revocations,
    state,
    ran: [],
    tool: async () => ({ ok: true, body: { n: desk.ran.length } }),
    now: 1_800_000_000_000,
    runningSessions: new Set(),
    commands: {},
    settleFiles: () => undefined,
    written: undefined,
    dispatcher: new Dispatcher({
      ledger,
      trail,
      revocations,
      boots: new Boots(state, boot, { version: '0', nowMs: 0 }),
      log: silent,
      nowMs: () => desk.now,
      check: () => {},
      perform: (call) => {
        desk.ran.push(call);
        return desk.tool(call);
      },
      isSessionRunning: (id) => desk.runningSessions.has(id),
      startedCommand: (id) => desk.commands[id],
      settleFiles: (id) => desk.settleFiles(id),
      written: ({ method }) => (method === 'continuity.append' ? desk.written : undefined),
    }),
    async submit(tool, args = {}, more = {}, door = 'link') {
      const envelope = envelopeFor(tool, args, more);
      const { envelope: result, body } = await desk.dispatcher.submit(envelope, args, classify(tool, args), door);
      const { content } = JSON.parse(Buffer.from(body).toString('utf8')) as { content: { text: string }[] };
      return { envelope: result, json: JSON.parse(content[0]?.text ?? '') as Record<string, unknown> };
    },
    close: () => {
      trail.flush();
      state.close();
    },
  };
  return desk;
}
