/** A journal on a real `state.db` in a folder of its own, with a clock and randomness that tests steer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { OutcomeError } from '../../../contract/outcome.ts';
import {
  appendJournalTurn,
  type Continuity,
  type Journal,
  type JournalReceipt,
  type JournalTurn,
  type MethodContext,
  openContinuity,
} from '../../../runtime-a-b/continuity/index.ts';
import { openState } from '../../../runtime-a-b/state/index.ts';

export interface Desk {
  dir: string;
  journal: Journal;
  written: Continuity['written'];
  acceptTurn: Continuity['acceptTurn'];
  /** ms since 1970; grows by one with every look. */
  now: { ms: number };
  context(over?: Partial<MethodContext>): MethodContext;
  /** Calls a method as `herdr_call` would. */
  call(
    method: string,
    params: Record<string, unknown>,
    over?: Partial<MethodContext>,
  ): Promise<Record<string, unknown>>;
  /** The refusal of a call that must be refused. */
  refusal(method: string, params: Record<string, unknown>, over?: Partial<MethodContext>): Promise<OutcomeError>;
  /** Journals a turn as the browser would; a user's in conversation `c` unless said otherwise. */
  say(text: string, over?: Partial<JournalTurn>): JournalReceipt;
}

export const DEVICE = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';

/** Bytes that differ from call to call and are the same in every run. */
function countingBytes(): (count: number) => Uint8Array {
  let next = 1;
  return (count) => {
    const bytes = new Uint8Array(count);
    new DataView(bytes.buffer).setUint32(Math.max(0, count - 4), next++);
    return bytes;
  };
}

/** Open until the running test ends. */
export function openDesk(dir?: string): Desk {
  const desk = makeDesk(dir);
  onTestFinished(() => desk.close());
  return desk;
}

/** Open until somebody closes it. */
export function makeDesk(dir = mkdtempSync(join(tmpdir(), 'hm-journal-'))): Desk & { close(): void } {
  const state = openState(dir);
  const { journal, methods, written, acceptTurn } = openContinuity(state, countingBytes());
  const now = { ms: 1_800_000_000_000 };
  let dispatches = 0;
  let messages = 0;
  const context = (over: Partial<MethodContext> = {}): MethodContext => ({
    dispatchId: `d_${(++dispatches).toString(16).padStart(32, '0')}`,
    principal: { kind: 'connector', id: 'con_1' },
    deviceId: DEVICE,
    nowMs: () => now.ms++,
    live: { view: () => ({ server: { key: 'embedded' } }) },
    ...over,
  });
  const call: Desk['call'] = async (name, params, over) => {
    const method = methods[name];
    if (!method) throw new Error(`no method ${name}`);
    return method.run(params, context(over));
  };
  return {
    dir,
    close: () => {
      state.close();
      rmSync(dir, { recursive: true, force: true });
    },
    journal,
    written,
    acceptTurn,
    now,
    context,
    call,
    refusal: (name, params, over) =>
      call(name, params, over).then(
        (answer) => {
          throw new Error(`${name} was not refused: ${JSON.stringify(answer)}`);
        },
        (error: unknown) => {
          if (error instanceof OutcomeError) return error;
          throw error;
        },
      ),
    say: (text, over = {}) =>
      appendJournalTurn(
        journal,
        {
          conversation: conversation('c'),
          messageId: `m${++messages}`,
          role: 'user',
          text,
          observedAtMs: now.ms,
          ...over,
        },
        now.ms++,
      ),
  };
}

/** A ChatGPT conversation by a short name, and its address. */
export function conversation(name: string): { provider: string; conversationId: string } {
  return { provider: 'chatgpt', conversationId: uuidOf(name) };
}

export function addressOf(name: string, projectId = ''): string {
  return `https://chatgpt.com/${projectId === '' ? '' : `g/${projectId}/`}c/${uuidOf(name)}`;
}

export const PROJECT = 'g-p-0123456789abcdef0123456789abcdef';

export function uuidOf(name: string): string {
  const hex = Buffer.from(name).toString('hex').padStart(12, '0').slice(-12);
  return `6861b2f4-90c0-8003-b7ae-${hex}`;
}

/** The chains that a refusal names, sorted. */
export function candidateIds(error: OutcomeError): string[] {
  const candidates = (error.details?.['candidates'] ?? []) as { continuity_id: string }[];
  return candidates.map((candidate) => candidate.continuity_id).sort();
}
