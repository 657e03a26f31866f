import Schema from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { CURRENT_PUBLIC, PUBLIC_EPOCHS } from '../../../contract/epochs/index.ts';
import { TOOLS_LIST_BYTES_MAX } from '../../../contract/limits.ts';
import { INSTRUCTIONS_BYTES_MAX } from '../../../edge/limits.ts';
import { framingOf } from '../../../edge/mcp/answer.ts';
import { checkCall, closeNames } from '../../../edge/mcp/arguments.ts';
import { callerSession, traceparentOf } from '../../../edge/mcp/caller.ts';
import { compileQuick } from '../../../edge/mcp/quick-check.ts';
import { INSTRUCTIONS, servedBy, servedEpoch, toolsListResult } from '../../../edge/mcp/served.ts';
import { splice } from '../../../edge/mcp/splice.ts';
import { verifies } from '../../verifies.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const size = (text: string) => bytes(text).byteLength;

describe('splicing', () => {
  it.each([
    ['{"content":[],"isError":false}', 1, false],
    ['{}', 'a"b', true],
    ['{"content":[{"type":"text","text":"ü\\u2028"}]}', 'x', true],
  ])('%s', (result, id, modern) => {
    verifies('edge.mcp-splice');
    const pieces = splice({ id, result: bytes(result), meta: { herdr: { a: 1 } }, modern });
    const text = (pieces ?? []).map((piece) => new TextDecoder().decode(piece)).join('');
    expect(JSON.parse(text)).toEqual({
      jsonrpc: '2.0',
      id,
      result: { ...JSON.parse(result), ...(modern ? { resultType: 'complete' } : {}), _meta: { herdr: { a: 1 } } },
    });
    expect(text).toContain(result.slice(0, -1));
  });

  it.each(['', '{', 'null', '[]', '"{}"', '{}x', ' {}'])('passes nothing on that is no object: %j', (result) => {
    expect(splice({ id: 1, result: bytes(result), meta: {}, modern: false })).toBeUndefined();
  });
});

describe('what Accept chooses', () => {
  it.each([
    [null, 'json'],
    ['application/json', 'json'],
    ['application/json, text/event-stream', 'json'],
    ['text/event-stream, application/json;q=0.1', 'json'],
    ['text/event-stream, */*', 'json'],
    ['text/event-stream', 'sse'],
    ['text/html', 'json'],
  ])('%s → %s', (accept, framing) => {
    expect(framingOf(accept)).toBe(framing);
  });
});

describe('what is served', () => {
  it('stays within what hosts take', () => {
    verifies('contract.descriptions-bounded');
    expect(size(INSTRUCTIONS)).toBeLessThanOrEqual(INSTRUCTIONS_BYTES_MAX);
    for (const modern of [true, false]) {
      const text = `{"jsonrpc":"2.0","id":1,"result":${toolsListResult(servedBy({ STAGE: 'prod' }), modern)}}`;
      expect(size(text)).toBeLessThan(TOOLS_LIST_BYTES_MAX);
      expect((JSON.parse(text) as { result: { tools: unknown } }).result.tools).toEqual(CURRENT_PUBLIC.tools);
    }
  });

  it.each([
    ['dev', undefined, 8],
    ['dev', '3', 8],
    ['prod', '3', 8],
    ['baseline', '3', 3],
    ['baseline', '8', 8],
    ['baseline', '4', 8],
    ['baseline', undefined, 8],
  ] as const)('in stage %s with PUBLIC_EPOCH %s is epoch %i', (stage, configured, epoch) => {
    verifies('edge.stages');
    expect(servedEpoch(stage, configured)).toBe(epoch);
    const served = servedBy({ STAGE: stage, ...(configured === undefined ? {} : { PUBLIC_EPOCH: configured }) });
    expect(served.contract).toBe(PUBLIC_EPOCHS[epoch]);
    expect(JSON.parse(served.tools)).toHaveLength(19);
  });
});

describe('the quick check', () => {
  const samples: unknown[] = [
    {},
    { path: '/a' },
    { path: '' },
    { path: '/a', start_line: 1 },
    { path: '/a', start_line: 0 },
    { path: '/a', start_line: 1.5 },
    { path: '/a', start_line: '1' },
    { path: 7 },
    { path: '/a', other: 1 },
    { path: 'x'.repeat(4097) },
    { root: '/r', action: 'log' },
    { root: '/r', action: 'push' },
    { root: '/r', pattern: 'x', max_matches: 1001 },
    { workspace: 'w', steps: [{ program: 'ls', args: ['-l'] }] },
    { workspace: 'w', steps: [] },
    { workspace: 'w', steps: [{ program: 'ls', extra: 1 }] },
    { target: 'a', text: 'b', wait: { until: ['idle'], timeout_ms: 5 } },
    { target: 'a', text: 'b', wait: { until: ['sleeping'] } },
    { method: 'ping', params: '{}' },
    { method: 'ping', idempotency_key: '' },
    JSON.parse('{"path":"/a","__proto__":1}'),
    [],
    null,
    'text',
  ];

  it('never says yes to what the schema refuses, and says yes to every ordinary call', () => {
    let accepted = 0;
    for (const { inputSchema } of [...PUBLIC_EPOCHS[8].tools, ...PUBLIC_EPOCHS[3].tools]) {
      const quick = compileQuick(inputSchema);
      for (const sample of samples) {
        const right = Schema.Check(inputSchema, sample);
        expect(quick(sample) && !right).toBe(false);
        if (quick(sample)) accepted += 1;
        // Whatever is right is decided here, without the library: none of our schemas needs more.
        expect(quick(sample)).toBe(right);
      }
    }
    expect(accepted).toBeGreaterThan(20);
  });

  it('leaves a schema with anything unknown in it to the library', () => {
    expect(compileQuick({ type: 'string', pattern: '^a' })('a')).toBe(false);
    expect(compileQuick({ anyOf: [{ type: 'string' }] })('a')).toBe(false);
    expect(compileQuick({ type: 'object', properties: {} })({})).toBe(false);
  });
});

describe('arguments', () => {
  it.each([
    ['herdr_fs_read', {}, 'lacks path'],
    ['herdr_fs_read', { path: '/a', lines: 3 }, 'does not accept lines'],
    ['herdr_fs_read', { path: '/a', start_line: 'one' }, 'start_line must be integer'],
    ['herdr_git', { root: '/r', action: 'push' }, 'action must be one of status, diff, log, show, blame'],
    ['herdr_prompt', { target: 'a', text: 'b', wait: { until: ['asleep'] } }, 'wait.until.0 must be one of'],
  ])('of %s %o: %s', (tool, args, words) => {
    verifies('edge.mcp-bad-input');
    const refusal = checkCall(CURRENT_PUBLIC, tool, args);
    expect(refusal).toMatchObject({ code: 'invalid_params' });
    expect(refusal?.message).toContain(words);
    expect(refusal?.details?.accepted).toContain('device');
  });
});

describe('a tool that does not exist', () => {
  const names = CURRENT_PUBLIC.tools.map(({ name }) => name);
  it.each([
    ['herdr_fs_raed', 'herdr_fs_read'],
    ['fs_read', 'herdr_fs_read'],
    ['read', 'herdr_fs_read'],
    ['herdr.fs.read', 'herdr_fs_read'],
    ['herdr_execute', 'herdr_exec'],
    ['HERDR_GREP', 'herdr_fs_grep'],
    ['herdr_device', 'herdr_devices'],
  ])('%s may have meant %s', (wrong, right) => {
    verifies('edge.mcp-bad-input');
    expect(closeNames(wrong, names)).toContain(right);
  });

  it.each(['get_weather', '', 'x'.repeat(100_000)])('like %.20s is close to none', (wrong) => {
    expect(closeNames(wrong, names)).toEqual([]);
  });
});

describe('who is asking', () => {
  it('is the conversation together with the connector, as a digest', async () => {
    verifies('edge.caller-session');
    const mark = { 'openai/session': 'conversation-7' };
    const session = await callerSession('conn_a', mark);
    expect(session).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(session).not.toContain('conversation');
    expect(await callerSession('conn_a', mark)).toBe(session);
    expect(await callerSession('conn_b', mark)).not.toBe(session);
    expect(await callerSession('conn_a', { 'openai/session': 'conversation-8' })).not.toBe(session);
    for (const meta of [undefined, null, {}, 7, { 'openai/session': 7 }, { 'openai/session': '' }]) {
      expect(await callerSession('conn_a', meta)).toBeUndefined();
    }
  });

  it.each([
    [{ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }, null, true],
    [undefined, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true],
    [undefined, 'anything else', false],
    [{ traceparent: 7 }, null, false],
    [{ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n' }, null, false],
  ])('and a trace, when it is one: %o %s', (meta, header, known) => {
    expect(traceparentOf(meta, header) !== undefined).toBe(known);
  });
});
