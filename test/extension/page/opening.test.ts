/** The first message of a new chat: which chat it has become is what the page shows beside it. */
import { describe, expect, it } from 'vitest';
import { deliverNew } from '../../../extension/content/opening.ts';
import type { Delivery } from '../../../extension/messages.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import type { Message, SiteAdapter } from '../../../extension/site/index.ts';
import { verifies } from '../../verifies.ts';
import { chat } from '../worker/chat.ts';

const NEW = 'https://chatgpt.com/c/99999999-new';
const OTHER = 'https://chatgpt.com/c/44444444-old';
const TEXT = 'Please review the parser.';
const LAUNCHER: PageIdentity = {
  site: 'chatgpt',
  place: 'root',
  conversation: null,
  project: 'none',
  url: 'https://chatgpt.com/',
  title: null,
};

/** A launcher on which our message is sent; `then` is what the page becomes, one look after the other. */
async function begins(then: readonly { page: PageIdentity; turns: readonly Message[] }[]) {
  let now = 0;
  let draft = '';
  let sent = false;
  const look = <T>(found: T) => ({ found });
  const last = then.at(-1);
  const current = () => (sent ? (then[Math.min(Math.floor(now / 250), then.length - 1)] ?? last) : undefined);
  const control = {} as HTMLElement;
  const adapter = {
    site: 'chatgpt',
    draft: () => look(draft),
    attached: () => false,
    insert: async (text: string) => {
      draft = text;
      return look(draft);
    },
    clear: async () => true,
    send: () => look(control),
    press: () => {
      sent = true;
      draft = '';
      now = 0;
    },
    messages: () => look({ mounted: current()?.turns ?? [], turnsSeen: 0 }),
    streaming: () => look(false),
    cardWaiting: () => false,
    snapshot: async () => ({ found: null, why: 'missing' as const }),
  } as unknown as SiteAdapter;
  return deliverNew(
    {
      adapter,
      clock: {
        now: () => now,
        pause: async (ms) => {
          now += ms;
        },
        every: () => undefined,
      },
      ended: new AbortController().signal,
      page: () => current()?.page ?? LAUNCHER,
      claim: async () => ({ ok: true, value: null }),
      pressing: () => undefined,
    },
    null,
    { text: TEXT, waitMs: 1_000, connector: null } as Delivery,
  );
}

const ours: Message = { role: 'user', id: 'u1', text: TEXT };
const theirs: Message = { role: 'user', id: 'x1', text: 'Something older.' };

describe('a new chat', () => {
  it('is the one whose page shows our message', async () => {
    verifies('extension.handoff');
    const became = await begins([
      { page: LAUNCHER, turns: [ours] },
      { page: chat(NEW), turns: [ours] },
    ]);
    expect(became).toEqual({ state: 'sent', messageId: 'u1', url: NEW });
  });

  it('is not the one that a person went to before the new one had its address', async () => {
    verifies('extension.handoff', 'bridge.local-agents');
    const gone = [
      { page: LAUNCHER, turns: [ours] },
      { page: chat(OTHER), turns: [theirs] },
    ];
    expect(await begins(gone)).toEqual({ state: 'uncertain', reason: 'no_new_turn' });
    // Whoever comes back to it finds it.
    expect(await begins([...gone, { page: chat(NEW), turns: [ours] }])).toMatchObject({ state: 'sent', url: NEW });
  });

  it('is known by its words where the site has named the message anew', async () => {
    const renamed = { ...ours, id: 'u1-server' };
    const became = await begins([
      { page: LAUNCHER, turns: [ours] },
      { page: chat(NEW), turns: [renamed] },
    ]);
    expect(became).toMatchObject({ state: 'sent', url: NEW });
  });
});
