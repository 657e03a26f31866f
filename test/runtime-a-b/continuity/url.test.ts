import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationUrl, projectIdOf, readConversationUrl } from '../../../runtime-a-b/continuity/index.ts';

const UUID = '6861b2f4-90c0-8003-b7ae-1f0d5c2a9e11';
const PROJECT = 'g-p-0123456789abcdef0123456789abcdef';

describe('which conversation an address means', () => {
  it.each([
    [`https://chatgpt.com/c/${UUID}`, 'chatgpt', UUID, '', `https://chatgpt.com/c/${UUID}`],
    [`https://chatgpt.com/c/${UUID}/`, 'chatgpt', UUID, '', `https://chatgpt.com/c/${UUID}`],
    [`https://chatgpt.com/c/${UUID}?model=x&c=other#part`, 'chatgpt', UUID, '', `https://chatgpt.com/c/${UUID}`],
    [`  HTTPS://WWW.ChatGPT.com/c/${UUID.toUpperCase()}  `, 'chatgpt', UUID, '', `https://chatgpt.com/c/${UUID}`],
    [`https://chatgpt.com:443/C/${UUID}`, 'chatgpt', UUID, '', `https://chatgpt.com/c/${UUID}`],
    [`https://chat.openai.com/c/${UUID}`, 'chatgpt', UUID, '', `https://chatgpt.com/c/${UUID}`],
    [
      `https://chatgpt.com/g/${PROJECT}/c/${UUID}`,
      'chatgpt',
      UUID,
      PROJECT,
      `https://chatgpt.com/g/${PROJECT}/c/${UUID}`,
    ],
    [
      `https://chatgpt.com/g/${PROJECT.toUpperCase().replace('G-P', 'g-p')}-my-project/c/${UUID}`,
      'chatgpt',
      UUID,
      PROJECT,
      `https://chatgpt.com/g/${PROJECT}/c/${UUID}`,
    ],
    [`https://chatgpt.com/g/g-AbCd1234-helper/c/${UUID}`, 'chatgpt', UUID, '', `https://chatgpt.com/c/${UUID}`],
    ['https://chatgpt.com/c/AbCdEfGh_1', 'chatgpt', 'AbCdEfGh_1', '', 'https://chatgpt.com/c/AbCdEfGh_1'],
    [`https://claude.ai/chat/${UUID}`, 'claude', UUID, '', `https://claude.ai/chat/${UUID}`],
    ['https://chat.z.ai/c/abcd-1234-efgh', 'zai', 'abcd-1234-efgh', '', 'https://chat.z.ai/c/abcd-1234-efgh'],
    [`https://chat.deepseek.com/a/chat/s/${UUID}`, 'deepseek', UUID, '', `https://chat.deepseek.com/a/chat/s/${UUID}`],
    [
      'https://gemini.google.com/u/1/app/0123456789abcdef',
      'gemini',
      '0123456789abcdef',
      '',
      'https://gemini.google.com/app/0123456789abcdef',
    ],
    [
      'https://gemini.google.com/spark/chat/0123456789',
      'gemini',
      'spark:0123456789',
      '',
      'https://gemini.google.com/spark/chat/0123456789',
    ],
    [`https://grok.com/c/${UUID}`, 'grok', UUID, '', `https://grok.com/c/${UUID}`],
    [
      `https://grok.com/project/${UUID.replace('6', '7')}?chat=${UUID}&tab=1#x`,
      'grok',
      UUID,
      UUID.replace('6', '7'),
      `https://grok.com/project/${UUID.replace('6', '7')}?chat=${UUID}`,
    ],
  ])('%s', (text, provider, conversationId, projectId, canonicalUrl) => {
    const reading = readConversationUrl(text);
    expect(reading).toMatchObject({ ok: true, address: { provider, conversationId, projectId, canonicalUrl } });
    expect(conversationUrl(provider, conversationId, projectId)).toBe(canonicalUrl);
  });

  it.each([
    [`http://chatgpt.com/c/${UUID}`, 'not_https'],
    [`https://chatgpt.com.evil.example/c/${UUID}`, 'other_site'],
    [`https://evil.example/https://chatgpt.com/c/${UUID}`, 'other_site'],
    [`https://chatgpt.com@evil.example/c/${UUID}`, 'other_site'],
    [`https://user@chatgpt.com/c/${UUID}`, 'other_site'],
    [`https://chatgpt.com:8443/c/${UUID}`, 'other_site'],
    [`https://chatgpt.com./c/${UUID}`, 'other_site'],
    [`https://chаtgpt.com/c/${UUID}`, 'other_site'], // a Cyrillic а
    ['https://example.com/c/abcdefgh12', 'other_site'],
    ['https://chatgpt.com/', 'not_a_conversation'],
    [`https://chatgpt.com/g/${PROJECT}/project`, 'not_a_conversation'],
    [`https://chatgpt.com/share/${UUID}`, 'not_a_conversation'],
    [`https://chatgpt.com//c/${UUID}`, 'not_a_conversation'],
    [`https://chatgpt.com/c/${UUID}/x`, 'not_a_conversation'],
    [`https://chatgpt.com/c/${UUID}.`, 'not_a_conversation'],
    ['https://chatgpt.com/c/WEB:1234567890', 'not_a_conversation'],
    [`https://chatgpt.com/c/${UUID}%2Fx`, 'not_a_conversation'],
    ['https://chatgpt.com/c/%E0%A4%A', 'not_a_conversation'],
    [`https://chatgpt.com/g/g-p-short/c/${UUID}`, 'not_a_conversation'],
    [`https://grok.com/project/${UUID}?chat=${UUID}&chat=${UUID}`, 'not_a_conversation'],
    ['claude.ai/chat', 'not_a_url'],
    ['javascript:alert(1)', 'not_a_url'],
    ['', 'not_a_url'],
    [`https://chatgpt.com/c/${UUID}?${'x'.repeat(2100)}`, 'too_long'],
  ])('refuses %s: %s', (text, reason) => {
    expect(readConversationUrl(text)).toEqual({ ok: false, reason });
  });

  const id = fc.oneof(fc.uuid(), fc.stringMatching(/^[A-Za-z0-9_-]{8,40}$/));
  const project = fc.option(fc.stringMatching(/^[0-9a-f]{32}$/).map((hex) => `g-p-${hex}`));
  const slug = fc.stringMatching(/^(-[a-z0-9]{1,8}){0,3}$/);

  it('ignores query, fragment, slug and case of what has none, and is its own canonical form', () => {
    fc.assert(
      fc.property(
        id,
        project,
        slug,
        fc.webQueryParameters(),
        fc.webFragments(),
        fc.boolean(),
        (name, inside, tail, query, part, upper) => {
          const path = inside === null ? `/c/${name}` : `/g/${inside}${tail}/c/${name}`;
          const plain = readConversationUrl(`https://chatgpt.com${path}`);
          const decorated = readConversationUrl(
            `https://${upper ? 'CHATGPT.COM' : 'www.chatgpt.com'}${path}/?${query}#${part}`,
          );
          if (!plain.ok) throw new Error(`refused ${path}`);
          expect(decorated).toMatchObject({ ok: true, address: { ...plain.address, plainUrl: expect.any(String) } });
          const again = readConversationUrl(plain.address.canonicalUrl);
          expect(again).toMatchObject({ ok: true, address: { canonicalUrl: plain.address.canonicalUrl } });
        },
      ),
    );
  });

  it('never takes two different conversations for one', () => {
    fc.assert(
      fc.property(id, id, project, (one, other, inside) => {
        fc.pre(one !== other && one.toLowerCase() !== other.toLowerCase());
        const url = (name: string) =>
          readConversationUrl(`https://chatgpt.com/${inside === null ? '' : `g/${inside}/`}c/${name}`);
        const [a, b] = [url(one), url(other)];
        if (!a.ok || !b.ok) throw new Error('refused');
        expect(a.address.canonicalUrl).not.toBe(b.address.canonicalUrl);
        expect(a.address.conversationId).not.toBe(b.address.conversationId);
      }),
    );
  });

  it('reads nothing from another site and never throws', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        expect(readConversationUrl(url).ok).toBe(false);
      }),
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readConversationUrl(text)));
  });

  it('knows a project by its id alone', () => {
    expect(projectIdOf(`${PROJECT}-renamed`)).toBe(PROJECT);
    expect(projectIdOf('g-p-123')).toBeNull();
  });
});
