/** Whatever a peer sends: an answer or silence, never a dead object, a lost link or a call that hangs for ever. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, type FrameHeader } from '../../../contract/link/index.ts';
import { verifies } from '../../verifies.ts';
import { post } from '../mcp/client.ts';
import { FakeLink, toolResult } from './fake-link.ts';
import { callInput, freshDispatchId, freshEdge, type Rig, told } from './rig.ts';

let rig: Rig;
let link: FakeLink;
beforeAll(async () => {
  rig = await freshEdge();
  link = await FakeLink.connect(rig.device);
  link.onCall = ({ call }) => link.answer(call.dispatch_id, toolResult({ ok: true }));
});

const id = () => freshDispatchId();
const samples: Array<() => FrameHeader> = [
  () => ({ kind: 'accepted', dispatch_id: id() }),
  () => ({
    kind: 'result',
    result: { dispatch_id: id(), delivery: 'delivered', ok: true, size: 4, runtime_ms: 1 },
    offset: 0,
    last: true,
  }),
  () => ({ kind: 'status', query: true }),
  () => ({ kind: 'problem', code: 'malformed', message: 'x', dispatch_id: id() }),
  () => ({ kind: 'ack', dispatch_ids: [id()] }),
  () => ({ kind: 'cancel', dispatch_id: id() }),
];

const mutatedFrame = fc
  .record({
    sample: fc.nat(samples.length - 1),
    flips: fc.array(fc.record({ at: fc.nat(400), to: fc.nat(255) }), { maxLength: 6 }),
    cut: fc.option(fc.nat(200), { nil: undefined }),
  })
  .map(({ sample, flips, cut }) => {
    const make = samples[sample] as () => FrameHeader;
    const bytes = encodeFrame(make(), new Uint8Array([1, 2, 3, 4])).slice(0, cut);
    for (const { at, to } of flips) if (at < bytes.length) bytes[at] = to;
    return bytes;
  })
  // A text that happens to be a whole hello or drain would be obeyed, and rightly so.
  .filter((bytes) => !/"kind":"(hello|drain)"/.test(new TextDecoder().decode(bytes)));

describe('mutated frames', () => {
  it('never end the link, and the next call is answered', async () => {
    verifies('contract.frames', 'link.malformed');
    await fc.assert(
      fc.asyncProperty(fc.array(mutatedFrame, { minLength: 1, maxLength: 8 }), async (frames) => {
        for (const frame of frames) link.sendRaw(frame);
        expect(told(await rig.object().call(await callInput(rig)))).toEqual({ ok: true });
        expect(link.closed).toBeUndefined();
      }),
      { numRuns: 60, seed: 20_261_130 },
    );
  });
});

const json = fc.jsonValue({ maxDepth: 3 });
const nearlyRpc = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), json),
    method: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'server/discover', 'ping', 'nobody/knows', ''),
    params: fc.oneof(
      json,
      fc.record(
        {
          name: fc.oneof(fc.constantFrom('herdr_fs_read', 'herdr_devices', 'herdr_call', '__proto__'), json),
          arguments: fc.oneof(
            json,
            fc.dictionary(fc.constantFrom('path', 'method', 'params', 'device', '__proto__'), json),
          ),
          _meta: fc.oneof(
            json,
            fc.dictionary(
              fc.constantFrom(
                'io.modelcontextprotocol/protocolVersion',
                'io.modelcontextprotocol/clientInfo',
                'io.modelcontextprotocol/clientCapabilities',
                'openai/session',
                'traceparent',
              ),
              fc.oneof(fc.constant('2026-07-28'), json),
            ),
          ),
          protocolVersion: json,
          capabilities: json,
          clientInfo: json,
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
);

describe('mutated bodies', () => {
  it('are always answered with JSON-RPC or an accepted notification, never with 500 or an exception’s text', async () => {
    verifies('edge.mcp-bad-input');
    const body = fc.oneof(
      nearlyRpc.map((value) => JSON.stringify(value)),
      json.map((value) => JSON.stringify(value)),
      fc.string(),
    );
    const version = fc.constantFrom(undefined, '2025-11-25', '2026-07-28', 'banana');
    await fc.assert(
      fc.asyncProperty(body, version, async (text, shown) => {
        const headers = shown === undefined ? {} : { 'mcp-protocol-version': shown };
        const answer = await post(text, { token: rig.token, headers });
        expect(answer.status).toBeLessThan(500);
        expect(answer.text).not.toMatch(/TypeError|RangeError|\bat [\w.]+ \(/);
        if (answer.status === 202) expect(answer.text).toBe('');
        else expect(answer.message.jsonrpc).toBe('2.0');
      }),
      { numRuns: 150, seed: 20_261_130 },
    );
  });
});
