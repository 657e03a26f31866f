/** What in a reply is a call, and what is not: as a table, and with generated calls in generated surroundings. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANOTHER_ANSWER, parseReply } from '../../../extension/machines/bridge/grammar.ts';
import { verifies } from '../../verifies.ts';
import { call, fenced } from './chat.ts';

const INSPECT = call('herdr_inspect');

describe('a reply', () => {
  it.each([
    ['an answer in words', 'All done.', { kind: 'none' }],
    ['nothing', '', { kind: 'none' }],
    ['words with braces', 'Use `{a}` and {b}.', { kind: 'none' }],
    ['a JSON answer that asks nothing of us', 'The config is {"a": 1} now.', { kind: 'none' }],
    ['one call in a block', fenced(INSPECT), { kind: 'calls', tools: ['herdr_inspect'], fenced: [true] }],
    ['one call without a block', INSPECT, { kind: 'calls', tools: ['herdr_inspect'], fenced: [false] }],
    ['words before the block', `I will look.\n\n${fenced(INSPECT)}`, { kind: 'calls', tools: ['herdr_inspect'] }],
    [
      'two calls, a line each',
      fenced(INSPECT, call('herdr_methods')),
      { kind: 'calls', tools: ['herdr_inspect', 'herdr_methods'] },
    ],
    [
      'a list of calls',
      `[${INSPECT},\n${call('herdr_git', { root: '/r', action: 'status' })}]`,
      { kind: 'calls', tools: ['herdr_inspect', 'herdr_git'] },
    ],
    [
      'two blocks',
      `${fenced(INSPECT)}\n${fenced(INSPECT)}`,
      { kind: 'calls', tools: ['herdr_inspect', 'herdr_inspect'], fenced: [true, true] },
    ],
    ['no arguments at all', '{"tool":"herdr_inspect"}', { kind: 'calls', tools: ['herdr_inspect'] }],
    ['wide spaces', '{ "tool" : "herdr_inspect" , "args" : { } }', { kind: 'calls', tools: ['herdr_inspect'] }],
    [
      'an example that an answer quotes',
      `You could send ${INSPECT} yourself.`,
      { kind: 'flawed', flaw: 'words_after' },
    ],
    ['words between two calls', `${INSPECT} and then ${INSPECT}`, { kind: 'flawed', flaw: 'words_after' }],
    [
      'an answer behind the block',
      `${fenced(INSPECT)}\nThis shows the panes.`,
      { kind: 'flawed', flaw: 'words_after' },
    ],
    ['a call that was cut off', '{"tool":"herdr_exec","args":{"command":"ls', { kind: 'flawed', flaw: 'incomplete' }],
    [
      'a call whose string never ends',
      '{"tool":"herdr_exec","args":{"command":"}}',
      { kind: 'flawed', flaw: 'incomplete' },
    ],
    ['single quotes', `{"tool":'herdr_exec',"args":{}}`, { kind: 'flawed', flaw: 'malformed' }],
    ['arguments that are a list', '{"tool":"herdr_exec","args":[1]}', { kind: 'flawed', flaw: 'malformed' }],
    [
      'arguments beside the arguments',
      '{"tool":"herdr_exec","args":{},"root":"/r"}',
      { kind: 'flawed', flaw: 'malformed' },
    ],
    ['a tool without a name', '{"tool":"","args":{}}', { kind: 'flawed', flaw: 'malformed' }],
    ['a name of a thousand characters', call('x'.repeat(1000)), { kind: 'flawed', flaw: 'malformed' }],
    ['a call of another form', '{"name":"herdr_exec","arguments":{}}', { kind: 'flawed', flaw: 'malformed' }],
    ['the same in a block', '```json\n{"function": "herdr_exec"}\n```', { kind: 'flawed', flaw: 'malformed' }],
    ['25 calls', fenced(...Array.from({ length: 25 }, () => INSPECT)), { kind: 'flawed', flaw: 'too_many' }],
    [
      'an answer in JSON that a person has asked for',
      '```json\n{"name":"site","scripts":{"test":"vitest"}}\n```',
      { kind: 'none' },
    ],
    [
      'two answers beside each other',
      [fenced(INSPECT), fenced(INSPECT)].join(ANOTHER_ANSWER),
      { kind: 'flawed', flaw: 'several' },
    ],
    [
      'code that holds such an object',
      `Put this into agent.py:\n\`\`\`python\nSTEP = ${INSPECT}\n\`\`\``,
      { kind: 'flawed', flaw: 'words_after' },
    ],
    [
      'a block that says its language inside',
      `\`\`\`\njson\n${INSPECT}\n\`\`\``,
      { kind: 'calls', tools: ['herdr_inspect'], fenced: [true] },
    ],
    [
      'a longer block before it that shows a fence',
      `\`\`\`\`\n\`\`\`sh\n\`\`\`\`\n${INSPECT}`,
      { kind: 'calls', tools: ['herdr_inspect'], fenced: [false] },
    ],
    [
      'a call of which the page holds a part back',
      fenced(`${INSPECT}\n\ufffc`),
      { kind: 'flawed', flaw: 'incomplete' },
    ],
    [
      'a call inside the arguments of another',
      fenced(call('herdr_fs_write', { content: INSPECT })),
      { kind: 'calls', tools: ['herdr_fs_write'] },
    ],
  ] as const)('with %s', (_name, text, expected) => {
    verifies('bridge.json');
    const parsed = parseReply(text);
    expect(parsed.kind).toBe(expected.kind);
    if (parsed.kind === 'flawed') expect(parsed).toEqual(expected);
    if (parsed.kind === 'calls' && 'tools' in expected) {
      expect(parsed.calls.map(({ tool }) => tool)).toEqual(expected.tools);
      if ('fenced' in expected) expect(parsed.calls.map((one) => one.fenced)).toEqual(expected.fenced);
    }
  });

  const args = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
  const asked = fc.record({ tool: fc.stringMatching(/^[a-z_]{1,20}$/), args });

  it('gives back exactly the calls that were written, whatever stands in their strings', () => {
    verifies('bridge.json');
    fc.assert(
      fc.property(
        fc.array(asked, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', ',\n', ' '),
        (calls, between) => {
          const given = JSON.parse(JSON.stringify(calls)) as typeof calls;
          const text = `Let me see.\n\`\`\`json\n${calls.map((one) => JSON.stringify(one)).join(between)}\n\`\`\`\n`;
          const parsed = parseReply(text);
          expect(
            parsed.kind === 'calls' ? parsed.calls.map(({ tool, args: with_ }) => ({ tool, args: with_ })) : parsed,
          ).toEqual(given);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('cut off anywhere is never other calls than those that stand there whole', () => {
    verifies('bridge.json');
    fc.assert(
      fc.property(
        fc.array(asked, { minLength: 1, maxLength: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (calls, share) => {
          const given = JSON.parse(JSON.stringify(calls)) as typeof calls;
          const text = fenced(...calls.map((one) => JSON.stringify(one)));
          const parsed = parseReply(text.slice(0, Math.floor(text.length * share)));
          if (parsed.kind !== 'calls') return;
          expect(parsed.calls.map(({ tool, args: with_ }) => ({ tool, args: with_ }))).toEqual(
            given.slice(0, parsed.calls.length),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('of any text is an answer and never an exception', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{"tool":', '"a"', '}', '{', ',', '"args":', '\\', '`', '\n', 'x', '[', ']')),
        (parts) => {
          expect(['none', 'calls', 'flawed']).toContain(parseReply(parts.join('')).kind);
        },
      ),
      { numRuns: 300 },
    );
  });
});
