/** A page against its site's server: what counts as ahead, and what proves nothing. */
import { describe, expect, it } from 'vitest';
import { compare, type Told, wentOnElsewhere, worthTelling } from '../../../extension/machines/recovery/index.ts';
import type { Message, ServerView } from '../../../extension/site/index.ts';
import { verifies } from '../../verifies.ts';
import { page } from './looks.ts';

const LONG = Array.from({ length: 9 }, (_, at) => `Step ${at} reads line ${at * 37} and keeps it. `).join('');
const user = (id: string | null, text = 'please look'): Message => ({ role: 'user', id, text });
const answer = (id: string, text = LONG): Message => ({ role: 'assistant', id, text });
const server = (part: Partial<ServerView>): ServerView => ({
  latestUser: user('u2'),
  latestAssistant: answer('a2'),
  currentRole: 'assistant',
  finished: 'finished',
  updatedAtMs: null,
  ...part,
});

const MARKDOWN = `**${LONG}**\n\n- [one](https://example.org/a/very/long/address/indeed)\n- two \ue200cite\ue202turn0search0\ue201\n\n# The end of it all, for now`;
const RENDERED = `${LONG}\n\none\n\ntwo\n\nThe end of it all, for now`;

const TABLE: readonly [what: string, mounted: Message[], view: ServerView, becomes: string, rest?: object][] = [
  ['the same', [user('u2'), answer('a2')], server({}), 'same'],
  ['a part of it', [user('u2'), answer('a2', LONG.slice(0, 90))], server({}), 'ahead'],
  ['nothing of it yet', [user('u2')], server({}), 'ahead'],
  ['the turn before', [user('u1'), answer('a1')], server({}), 'ahead'],
  ['a few letters less', [user('u2'), answer('a2', LONG.slice(0, -12))], server({}), 'same'],
  [
    'Markdown of what is shown',
    [user('u2'), answer('a2', RENDERED)],
    server({ latestAssistant: answer('a2', MARKDOWN) }),
    'same',
  ],
  [
    'Markdown of more than is shown',
    [user('u2'), answer('a2', RENDERED.slice(0, 200))],
    server({ latestAssistant: answer('a2', MARKDOWN) }),
    'ahead',
  ],
  [
    'another text under the same id',
    [user('u2'), answer('a2', 'Something else entirely, from the start.')],
    server({}),
    'unknown',
  ],
  ['more than the server has', [user('u2'), answer('a2', `${LONG}and on`)], server({}), 'same'],
  [
    'a person’s turn that nobody has answered',
    [user('u2')],
    server({ latestAssistant: null, currentRole: 'user' }),
    'same',
  ],
  [
    'a turn that the server does not know',
    [user('u3', 'and now?')],
    server({ latestAssistant: null, currentRole: 'user' }),
    'unknown',
  ],
  ['a turn of ours that has no id yet', [user(null)], server({ latestAssistant: null, currentRole: 'user' }), 'same'],
  [
    'the start of a tool’s call',
    [user('u2')],
    server({ latestAssistant: answer('a2', '{"a":1}'), finished: 'unfinished' }),
    'same',
  ],
  ['a short, finished answer is missing', [user('u2')], server({ latestAssistant: answer('a2', 'Done.') }), 'ahead'],
  ['an empty answer is missing', [user('u2')], server({ latestAssistant: answer('a2', '') }), 'same'],
  ['no ids at all', [user('u2'), answer('a2')], server({ latestUser: null }), 'unknown'],
  ['scrolled up, the end is not mounted', [user('u1'), answer('a1')], server({}), 'unknown', { atEnd: false }],
  [
    'another version of an answer that stood here',
    [user('u2'), answer('a3')],
    server({}),
    'unknown',
    { known: new Set(['a2', 'a3']) },
  ],
  ['nothing is mounted', [], server({}), 'ahead'],
];

describe('what a page shows against what its server has', () => {
  it.each(TABLE)('%s → %s', (_, mounted, view, becomes, rest = {}) => {
    verifies('extension.recovery');
    expect(compare({ mounted, atEnd: true, known: new Set(), ...rest }, view).view).toBe(becomes);
  });

  it('takes the server’s own word for the rest', () => {
    const view = server({ currentRole: 'unknown', finished: 'unfinished' });
    expect(compare({ mounted: [], atEnd: true, known: new Set() }, view)).toMatchObject({
      current: 'unknown',
      finished: 'unfinished',
    });
  });
});

describe('a chat that went on elsewhere', () => {
  const seen = (mounted: Message[], atEnd = true) => ({ mounted, atEnd });
  const here = [user('u1', 'one'), answer('a1')];
  const there = server({ latestUser: user('u2', 'from my phone') });

  it('is one whose newest message of a person does not stand here, answered or not', () => {
    verifies('extension.wake');
    expect(wentOnElsewhere(seen(here), there)).toBe(true);
    expect(wentOnElsewhere(seen(here), { ...there, latestAssistant: null, currentRole: 'user' })).toBe(true);
    expect(wentOnElsewhere(seen(here), { ...there, latestAssistant: answer('a1') })).toBe(true);
  });

  it.each<[string, Message[], boolean, ServerView]>([
    ['it stands here', [...here, user('u2')], true, there],
    ['it stands here, and a newer one', [...here, user('u2'), answer('a2'), user('u3')], true, there],
    ['it was sent from here, and has no id yet', [...here, user(null, 'from my phone')], true, there],
    ['it stands here under another id', [...here, user('x', 'From my phone.')], true, there],
    ['somebody has scrolled up', here, false, there],
    ['messages have no ids here', [user(null, 'one'), answer('a1')], true, there],
    ['nothing is mounted', [], true, there],
    ['the server names none', here, true, server({ latestUser: null })],
    ['the server names one without an id', here, true, server({ latestUser: user(null) })],
  ])('is none when %s', (_what, mounted, atEnd, view) => {
    expect(wentOnElsewhere(seen(mounted, atEnd), view)).toBe(false);
  });
});

describe('what a page tells the worker', () => {
  const broken = page({ error: { kind: 'thread_error', retry: true, shownMs: 9_000 } });
  const tell = (told: Told | null, evidence = broken, now = 0) => worthTelling(told, evidence, now);

  it('is trouble, every few seconds while it lasts, and at once when it changes', () => {
    const first = tell(null);
    expect(first).toMatchObject({ trouble: true });
    expect(tell(first, broken, 2_000)).toBeNull();
    expect(tell(first, broken, 5_000)).not.toBeNull();
    expect(tell(first, { ...broken, draft: true }, 100)).not.toBeNull();
  });

  it('is once that it is well, and then nothing', () => {
    const well = tell(tell(null), page(), 6_000);
    expect(well).toMatchObject({ trouble: false });
    expect(tell(well, page(), 600_000)).toBeNull();
    expect(tell(null, page())).toMatchObject({ trouble: false });
  });

  it('is nothing of a page that is still being mounted, except an error', () => {
    expect(tell(null, page({ loadedMs: 9_000 }))).toBeNull();
    expect(tell(null, { ...broken, loadedMs: 1_000 })).not.toBeNull();
  });

  it('is nothing while a tool runs, a card waits or an answer grows', () => {
    const still = { pending: true, streaming: true, stillMs: 300_000, confirmed: false };
    for (const part of [
      { ...still, tool: true },
      { ...still, card: true },
      { ...still, stillMs: 2_000 },
    ])
      expect(tell(null, page(part))).toMatchObject({ trouble: false });
    expect(tell(null, page(still))).toMatchObject({ trouble: true });
  });
});
