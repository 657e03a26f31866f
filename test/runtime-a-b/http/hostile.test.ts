import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packHead } from '../../../contract/link/index.ts';
import { verifies } from '../../verifies.ts';
import { envelopeFor } from '../support/index.ts';
import { herdr, rt } from './runtime.ts';

const alive = async () => (await fetch(`${rt.url}/health`)).status;

/** A packed call with some of its bytes changed, cut or repeated. */
const mutated = fc
  .record({
    tool: fc.constantFrom('herdr_inspect', 'herdr_since', 'herdr_call', 'herdr_fs_read', 'x'),
    args: fc.jsonValue(),
    edits: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
    cut: fc.option(fc.nat(400)),
  })
  .map(({ tool, args, edits, cut }) => {
    const bytes = Buffer.concat([packHead(envelopeFor(tool, {})), Buffer.from(JSON.stringify(args))]);
    for (const [at, value] of edits) bytes[at % bytes.length] = value;
    return cut === null ? bytes : bytes.subarray(0, cut);
  });

describe('whatever arrives is answered, and the process goes on', () => {
  it('mutated packed calls', async () => {
    verifies('runtime.loopback');
    await fc.assert(
      fc.asyncProperty(mutated, async (body) => {
        const response = await rt.fetch('/call', { method: 'POST', body: new Uint8Array(body) });
        expect([200, 400, 413]).toContain(response.status);
        await response.arrayBuffer();
      }),
      { numRuns: 60 },
    );
    expect(await alive()).toBe(200);
  });

  it('mutated JSON-RPC messages', async () => {
    verifies('runtime.bad-input');
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record({
          jsonrpc: fc.constant('2.0'),
          id: fc.jsonValue(),
          method: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'x'),
          params: fc.jsonValue(),
        })
        .map((message) => JSON.stringify(message)),
      fc
        .record({ name: fc.jsonValue(), arguments: fc.jsonValue(), _meta: fc.jsonValue() })
        .map((params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })),
    );
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        const response = await rt.fetch('/mcp', { method: 'POST', body, headers });
        expect(response.status).toBeLessThan(500);
        await response.arrayBuffer();
      }),
      { numRuns: 60 },
    );
    expect(await alive()).toBe(200);
  });

  it('mutated bodies of the other routes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/cancel', '/ack', '/revoke'),
        fc.oneof(fc.json(), fc.string()),
        async (path, body) => {
          const response = await rt.fetch(path, { method: 'POST', body });
          expect([200, 204, 400]).toContain(response.status);
          await response.arrayBuffer();
        },
      ),
      { numRuns: 60 },
    );
    expect(await alive()).toBe(200);
  });

  it('lines of a Herdr that has gone mad', async () => {
    const line = fc.oneof(
      fc.json(),
      fc.string(),
      fc.record({ id: fc.string(), result: fc.jsonValue() }).map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(line, async (text) => {
        herdr.methods['workspace.get'] = (_, socket) => {
          socket.end(`${text}\n`);
          return undefined;
        };
        const { json } = await rt.call('herdr_call', { method: 'workspace.get', params: '{"workspace_id":"w1"}' });
        expect(typeof json.ok).toBe('boolean');
      }),
      { numRuns: 40 },
    );
    expect(await alive()).toBe(200);
  });
});
