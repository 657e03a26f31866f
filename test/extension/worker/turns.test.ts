/** What the runtime is told of a person's turn: that it goes on, and a digest of its words. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { userTextForm } from '../../../contract/browser/user-text.ts';
import { SOURCE_TURN_REPEAT_MS } from '../../../contract/extension/registry.ts';
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
