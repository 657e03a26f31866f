/** What differs between deployments, and what a host may do on the way out. */
import { createExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { PUBLIC_EPOCHS } from '../../../contract/epochs/index.ts';
import type { Env } from '../../../edge/env.ts';
import worker from '../../../edge/worker.ts';
import { verifies } from '../../verifies.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { bindings, freshEdge, type Rig } from '../workstation/rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await freshEdge();
});

function send(path: string, init: RequestInit & { env?: Partial<Env> } = {}): Promise<Response> {
  const { env = {}, ...rest } = init;
  const request = new Request(`https://edge.test${path}`, rest) as Request<unknown, IncomingRequestCfProperties>;
  return Promise.resolve(worker.fetch(request, { ...bindings, ...env }, createExecutionContext()));
}

function post(body: unknown, init: RequestInit & { env?: Partial<Env> } = {}): Promise<Response> {
  return send('/mcp', {
    ...init,
    method: 'POST',
    headers: { authorization: `Bearer ${rig.token}`, 'content-type': 'application/json', ...(init.headers as object) },
    body: JSON.stringify(body),
  });
}

const rpc = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const read = rpc('tools/call', { name: 'herdr_fs_read', arguments: { path: '/a' } });

describe('the stage', () => {
  it.each([
    ['dev', 8],
    ['prod', 8],
    ['baseline', 3],
  ] as const)('%s with PUBLIC_EPOCH 3 serves public epoch %i, and /info says so', async (STAGE, epoch) => {
    verifies('edge.stages', 'edge.info');
    const env = { STAGE, PUBLIC_EPOCH: '3' };
    const info = await (await send('/info', { env })).json();
    expect(info).toMatchObject({ stage: STAGE, public_contract: { epoch, hash: PUBLIC_EPOCHS[epoch].hash } });
    const listed = (await (await post(rpc('tools/list'), { env })).json()) as { result: { tools: unknown } };
    expect(listed.result.tools).toEqual(PUBLIC_EPOCHS[epoch].tools);
  });

  it('of the baseline refuses what its contract has not', async () => {
    verifies('edge.stages');
    const env = { STAGE: 'baseline', PUBLIC_EPOCH: '3' };
    const keyed = rpc('tools/call', { name: 'herdr_exec_kill', arguments: { session_id: 's', idempotency_key: 'k' } });
    const answer = await (await post(keyed, { env })).text();
    expect(answer).toContain('does not accept idempotency_key');
  });
});

describe('an Origin', () => {
  it.each(['https://claude.ai', 'https://chatgpt.com', 'https://elsewhere.example'])(
    'of %s is served: a bearer is required and no cookie is read',
    async (origin) => {
      const answer = await post(rpc('tools/list'), { headers: { origin } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect((await send('/mcp', { method: 'POST', headers: { origin, cookie: 'session=1' } })).status).toBe(401);
    },
  );
});

describe('a host that hangs up', () => {
  it('stops its long read at the workstation', async () => {
    const link = await FakeLink.connect(rig.device);
    const caller = new AbortController();
    const grep = rpc('tools/call', { name: 'herdr_fs_grep', arguments: { root: '/r', pattern: 'x' } });
    const answering = post(grep, { signal: caller.signal });
    const { call } = await link.nextCall();
    caller.abort();
    await link.until(() => link.of('cancel').some((frame) => frame.dispatch_id === call.dispatch_id), 'the cancel');
    await answering.catch(() => undefined);
    await link.cut();
  });
});

describe('an object that is out of order', () => {
  it('is asked again for the same dispatch until it answers', async () => {
    verifies('dispatch.survives-object-reset');
    const link = await FakeLink.connect(rig.device);
    link.onCall = ({ call }) => link.answer(call.dispatch_id, toolResult({ ok: true }));
    const asked: string[] = [];
    let broken = 2;
    const namespace = new Proxy(bindings.WORKSTATION, {
      get: (target, name) => {
        if (name !== 'getByName') return Reflect.get(target, name);
        return (device: string) => {
          const stub = target.getByName(device);
          return {
            call: async (input: Parameters<typeof stub.call>[0]) => {
              asked.push(input.call.dispatch_id);
              if (broken-- > 0) throw new Error('Durable Object reset because its code was updated.');
              return stub.call(input);
            },
          };
        };
      },
    });
    const faults = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const answer = await (await post(read, { env: { WORKSTATION: namespace } })).text();
    expect(answer).toContain('\\"ok\\":true');
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(1);
    // What is logged names the fault and never quotes it.
    expect(faults.mock.calls.flat().join()).not.toContain('code was updated');
    vi.restoreAllMocks();
    await link.cut();
  });
});

describe('logs', () => {
  it('hold one JSON line for a write, none for a read that worked, and no contents', async () => {
    const link = await FakeLink.connect(rig.device);
    link.onCall = ({ call }) => link.answer(call.dispatch_id, toolResult({ ok: true, text: 'violet-elephant' }));
    const lines: string[] = [];
    for (const level of ['log', 'error', 'warn', 'info'] as const) {
      vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
        lines.push(parts.join(' '));
      });
    }
    await post(read);
    await post(
      rpc('tools/call', {
        name: 'herdr_fs_write',
        arguments: { path: '/green-giraffe', content: 'violet-elephant' },
        _meta: { 'openai/session': 'amber-antelope' },
      }),
    );
    vi.restoreAllMocks();
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(parsed.filter(({ event }) => event === 'call')).toMatchObject([
      { tool: 'herdr_fs_write', class: 'write', delivery: 'delivered', ok: true, device: rig.device.deviceId },
    ]);
    expect(lines.join('\n')).not.toMatch(/violet-elephant|green-giraffe|amber-antelope/);
    expect(lines.join('\n')).not.toContain(rig.token);
    await link.cut();
  });
});
