/** Whether a user turn of ours stands in a conversation: what the page shows, and what only its server can say. */
import { expect, it } from 'vitest';
import { findMark } from '../../../extension/content/mark.ts';
import type { Message, ServerView } from '../../../extension/site/index.ts';
import { verifies } from '../../verifies.ts';

const MARK = '[HERDR_CONTINUITY_REF id=hh_1 ';
const OURS = `${MARK}continuity_id=hc:1]\nGo on.`;
const user = (text: string, id: string | null = 'u1'): Message => ({ role: 'user', id, text });
const server = (latestUser: Message | null, latestAssistant: Message | null = null): ServerView => ({
  latestUser,
  latestAssistant,
  currentRole: latestUser === null ? 'unknown' : 'user',
  finished: 'unknown',
  updatedAtMs: null,
});

it.each<[string, readonly Message[] | null, ServerView | null, object]>([
  ['a user turn with an id', [user(OURS)], null, { found: 'yes', messageId: 'u1' }],
  ['one that the site has not named yet', [user(OURS, null)], null, { found: 'unknown' }],
  ['… and its server has it', [user(OURS, null)], server(user(OURS, 'u2')), { found: 'yes', messageId: 'u2' }],
  ['an answer that quotes it', [{ role: 'assistant', id: 'a1', text: OURS }], null, { found: 'unknown' }],
  [
    'the mark of another handoff',
    [user(OURS.replace('hh_1', 'hh_11'))],
    server(user('other', 'u3')),
    { found: 'unknown' },
  ],
  ['an earlier transfer’s packet', [user('<<<HERDR_HANDOFF_V1 id=hh_1>>>')], null, { found: 'unknown' }],
  ['nothing, and a server that cannot be asked', [], null, { found: 'unknown' }],
  ['nothing, and a server with another turn', [], server(user('something else', 'u4')), { found: 'unknown' }],
  ['a turn that its server does not know', [user('words', null)], server(null), { found: 'unknown' }],
  ['nothing, and an empty conversation at the server', [], server(null), { found: 'none' }],
  ['a page that cannot be read, and an empty one at the server', null, server(null), { found: 'none' }],
])('%s', async (_name, mounted, view, becomes) => {
  verifies('extension.handoff');
  const adapter = {
    messages: () =>
      mounted === null
        ? ({ found: null, why: 'unreadable' } as const)
        : { found: { mounted, turnsSeen: mounted.length } },
    snapshot: async () => (view === null ? ({ found: null, why: 'unreadable' } as const) : { found: view }),
  };
  const seen = await findMark(adapter, 'https://chatgpt.com/c/1', MARK, new AbortController().signal);
  expect(seen).toMatchObject(becomes);
});
