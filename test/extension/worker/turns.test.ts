/** What the runtime is told of a person's turn: that it goes on, and a digest of its words. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Evidence } from '../../../contract/browser/actuation.ts';
import { userTextForm } from '../../../contract/browser/user-text.ts';
import {
  type RegistryAnswer,
  type RegistryRequest,
  SOURCE_TURN_REPEAT_MS,
} from '../../../contract/extension/registry.ts';
import { createDispatchDoor } from '../../../extension/background/dispatches.ts';
import type { NativePort } from '../../../extension/background/native.ts';
import { createRegistry } from '../../../extension/background/registry.ts';
import type { RuntimeDoor } from '../../../extension/background/runtime.ts';
import type { Area } from '../../../extension/background/store.ts';
import { createTurns } from '../../../extension/background/turns.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import { verifies } from '../../verifies.ts';

const PAGE: PageIdentity = {
  site: 'chatgpt',
  place: 'conversation',
  conversation: 'https://chatgpt.com/c/11111111-aaaa',
  project: 'none',
  url: 'https://chatgpt.com/c/11111111-aaaa',
  title: null,
};
const ENDPOINT = `bep_${'0'.repeat(32)}`;
const CONSENT = { webchat_control: true, tool_bridge: false, tool_bridge_workstation_mutation: false };
const digest = (text: string) => createHash('sha256').update(userTextForm(text)).digest('hex');

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

it('tells a digest of a turn’s words while it goes on and when it ends, and never the words', async () => {
  verifies('bridge.archive-self');
  const told: object[] = [];
  const turns = createTurns({
    registry: { turn: async (_, turn) => void told.push(turn) },
    nowMs: () => 1_000,
    journal: async () => true,
    latest: async () => null,
    pause: async () => undefined,
    waitingMax: 8,
  });
  const user = { id: 'u1', text: 'Archive  this\u00a0chat,\nplease.' };
  await turns.take(PAGE, { user, assistant: null, ended: false });
  await vi.advanceTimersByTimeAsync(SOURCE_TURN_REPEAT_MS);
  await turns.take(PAGE, { user, assistant: { id: 'a1', text: 'Done.' }, ended: true });
  const turn = { id: 'u1', startedAt: 1_000, textSha256: digest('Archive this chat, please.') };
  expect(told).toEqual([
    { ...turn, inProgress: true },
    { ...turn, inProgress: true },
    { ...turn, inProgress: false },
  ]);
  // Longer than any message that a chat can be named by: it may have been cut.
  told.length = 0;
  await turns.take(PAGE, { user: { id: 'u2', text: 'x'.repeat(262_144) }, assistant: null, ended: false });
  expect(told).toEqual([{ id: 'u2', startedAt: 1_000, textSha256: null, inProgress: true }]);
});

/** A generation of before takes nothing with a member that it does not know: what it can know is told all the same. */
it('tells a turn, and what became of an act, also to a runtime that is older than the extension', async () => {
  verifies('bridge.archive-self', 'bridge.archive-tab');
  const turns: RegistryRequest[] = [];
  const older = (request: RegistryRequest): RegistryAnswer | null => {
    switch (request.operation) {
      case 'endpoint.register':
        return { ok: true, endpoint_ref: ENDPOINT, device_id: 'dev', consent: CONSENT, consent_revision: 0 };
      case 'provider.observe':
        return { ok: true, endpoint_ref: ENDPOINT, provider: 'chatgpt', observation_generation: 7 };
      case 'resource.observe':
        return { ok: true, resource_ref: `br_${'a'.repeat(64)}`, kind: request.kind, observation_generation: 7 };
      case 'source_turn.observe':
        if ('user_text_sha256' in request) return null;
        turns.push(request);
        return { ok: true, accepted: true };
      default:
        return null;
    }
  };
  const stored: Record<string, unknown> = {};
  const registry = createRegistry({
    runtime: { registry: async (request: RegistryRequest) => older(request) } as RuntimeDoor,
    local: {
      get: async () => stored,
      set: async (given: object) => void Object.assign(stored, given),
    } as unknown as Area,
    version: '1.0.0',
    nowMs: () => 1_000,
    random: (bytes) => new Uint8Array(bytes),
    accountOf: async () => 'me',
  });
  await registry.turn(PAGE, { id: 'u1', inProgress: true, startedAt: 500, textSha256: digest('Hello.') });
  expect(turns).toMatchObject([{ turn_id: 'u1', in_progress: true, started_at: 500 }]);

  const reports: Evidence[] = [];
  const native = {
    async request({ body }: { body?: unknown }) {
      const { evidence } = body as { evidence: Evidence };
      if ('tab' in evidence) return { ok: true as const, status: 400, body: { ok: false, code: 'invalid_params' } };
      reports.push(evidence);
      return { ok: true as const, status: 200, body: { ok: true, dispatch: { delivery_state: 'applied' } } };
    },
  } as unknown as NativePort;
  const seen: Evidence = { observed_generation: 7, command_accepted: true, lifecycle: 'archived' };
  const door = createDispatchDoor(native, registry);
  expect(await door.report('ba_1', 'life', { ...seen, tab: 'closed' })).toMatchObject({ delivery_state: 'applied' });
  expect(reports).toEqual([seen]);
});
