/** A bound chat that comes up: what its page shows may be a part of an answer, and the journal keeps what it is given first. */
import { expect, it } from 'vitest';
import { FILL_IN_AGAIN_MS } from '../../../extension/background/limits.ts';
import { createTurns } from '../../../extension/background/turns.ts';
import { verifies } from '../../verifies.ts';
import { chat } from './chat.ts';

const PAGE = chat();

it('journals no part of an answer as if it were all of it: a chat that came up too early is looked at again', async () => {
  verifies('continuity.journal');
  const user = { id: 'u1', text: 'How many?' };
  const looks = [null, null, { id: 'a1', text: 'Three, and here is why.' }];
  const [written, paused]: [string[], number[]] = [[], []];
  const turns = createTurns({
    registry: { turn: async () => undefined },
    nowMs: () => 1_000,
    journal: async (_, role, turn) => {
      written.push(`${role} ${turn.text}`);
      return true;
    },
    pause: async (ms) => void paused.push(ms),
    latest: async () => ({ page: PAGE, user, assistant: looks.shift() ?? null }),
    waitingMax: 8,
  });
  await turns.fillIn(PAGE);
  // The person's side as often as it is looked at, under one id; the answer once, and whole.
  expect(written.filter((one) => one.startsWith('assistant'))).toEqual(['assistant Three, and here is why.']);
  expect(written[0]).toBe('user How many?');
  expect(paused).toEqual(FILL_IN_AGAIN_MS);
  await turns.fillIn(PAGE);
  expect(written.filter((one) => one.startsWith('assistant'))).toHaveLength(1);
});
