/** The names under which chats are known to the runtime: a chat without one is told of no task. */
import { expect, it } from 'vitest';
import { createSessions } from '../../../extension/background/sessions.ts';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import type { RuntimeStatus } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from './chat.ts';

it('a chat that came up while the runtime was busy is named with the next alarm, and asked about no more after that', async () => {
  verifies('extension.wake', 'tasks.inbox');
  let state: State = EMPTY;
  let answers: string | null = null;
  const asked: (string | null)[] = [];
  const take = async (event: Event) => {
    state = step(state, event, { now: 1_000, language: 'en' }).state;
  };
  const link = (status: RuntimeStatus) => take({ type: 'link', status });
  const sessions = createSessions({
    registry: {
      session: async ({ conversation }) => {
        asked.push(conversation);
        return answers;
      },
    },
    runtime: { inbox: async () => 'none' },
    state: async () => state,
    take,
  });
  const page = chat();
  await link('connected');
  await take({ type: 'here', from: { tab: 7, document: 'd7', version: '1', page }, state: QUIET });
  await take({ type: 'here', from: { tab: 8, document: 'd8', version: '1', page }, state: QUIET });
  await sessions.learn(page);
  expect([asked, state.sessions]).toEqual([[CHAT], {}]);
  // While nobody can be reached nobody is asked.
  await link('offline');
  await sessions.learnMissing();
  expect(asked).toHaveLength(1);
  await link('connected');
  await sessions.learnMissing();
  answers = 'br_chat';
  await sessions.learnMissing();
  expect(state.sessions[CHAT]?.ref).toBe('br_chat');
  expect(asked).toHaveLength(3);
  await sessions.learnMissing();
  expect(asked).toHaveLength(3);
});
