import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onePiece, packHead, piecesOf } from '../../../contract/link/index.ts';
import { head } from '../../support/answer-head.ts';
import { verifies } from '../../verifies.ts';
import { type Answer, type OpenStream, opened, openStream } from '../support/call-stream.ts';
import { envelopeFor, type FakeHerdr, fakeHerdr, type TestRuntime, testRuntime, until } from '../support/index.ts';

let herdr: FakeHerdr;
let rt: TestRuntime;
let sockets: Socket[];
beforeEach(async () => {
  herdr = await fakeHerdr();
  rt = await testRuntime({ herdrSocket: herdr.path });
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await rt.end();
  await herdr.stop();
});

const port = () => Number(rt.url.split(':').at(-1));
const upgrade = (more: Record<string, string> = {}) => ({
  connection: 'Upgrade',
  upgrade: 'herdr-calls',
  authorization: `Bearer ${rt.token}`,
  ...more,
});

/** What the port says to an upgrade. */
async function asked(path: string, headers: Record<string, string>): Promise<number> {
  const outgoing = request({ host: '127.0.0.1', port: port(), path, headers });
  outgoing.end();
  const taken = once(outgoing, 'upgrade').then((heard) => {
    (heard[1] as Socket).destroy();
    return 101;
  });
  const refused = once(outgoing, 'response').then(([response]) => {
    const { statusCode = 0 } = (response as IncomingMessage).resume();
    return statusCode;
  });
  const status = await Promise.race([taken, refused]);
  return status;
}

const stream = async (): Promise<OpenStream> => {
  const opened = await openStream(port(), rt.token);
  sockets.push(opened.socket);
  return opened;
};

describe('who may open a stream of calls', () => {
  it('is who has the bearer, on this machine, and asks for nothing else', async () => {
    verifies('link.call-stream', 'runtime.loopback');
    expect(await asked('/calls', upgrade())).toBe(101);
    expect(await asked('/calls', upgrade({ authorization: 'Bearer guessed' }))).toBe(401);
    expect(await asked('/calls', { connection: 'Upgrade', upgrade: 'herdr-calls' })).toBe(401);
    expect(await asked('/calls', upgrade({ origin: 'https://pages.example' }))).toBe(401);
    expect(await asked('/calls', upgrade({ host: 'pages.example' }))).toBe(401);
    expect(await asked('/calls', upgrade({ upgrade: 'websocket' }))).toBe(404);
    for (const path of ['/call', '/calls/', '/']) expect(await asked(path, upgrade())).toBe(404);
    expect((await rt.fetch('/calls')).status).toBe(404);
    expect((await fetch(`${rt.url}/health`)).status).toBe(200);
  });

  it('and every other request is served although its client offers to change the protocol', async () => {
    verifies('link.call-stream', 'runtime.loopback');
    // As clients do that would rather speak HTTP/2.
    const offer = {
      ...upgrade({ connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' }),
      'http2-settings': 'AAMAAABk',
    };
    expect(await asked('/health', offer)).toBe(200);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'herdr_inspect' } });
    const headers = { ...offer, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const outgoing = request({ host: '127.0.0.1', port: port(), path: '/mcp', method: 'POST', headers });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
    await once(response, 'end');
  });

  it('and a refused one is left no connection, also when it does not close its own', async () => {
    verifies('link.call-stream', 'runtime.loopback');
    const socket = connect({ port: port(), host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    socket.write(
      `GET /calls HTTP/1.1\r\nhost: 127.0.0.1:${port()}\r\nconnection: Upgrade\r\nupgrade: herdr-calls\r\n\r\n`,
    );
    socket.on('error', () => undefined); // its bytes are not taken any more
    const [refusal] = (await once(socket, 'data')) as [Buffer];
    expect(refusal.toString()).toContain('401 Unauthorized');
    const gone = new Promise((resolve) => socket.once('close', resolve));
    const knocking = setInterval(() => socket.write('GET /facts HTTP/1.1\r\n\r\n'), 10);
    await gone;
    clearInterval(knocking);
  });
});

describe('calls on a stream', () => {
  it('run side by side, and each is answered when it has finished', async () => {
    verifies('link.call-stream');
    let release = () => {};
    herdr.methods['workspace.list'] = async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return { type: 'workspace_list', workspaces: [] };
    };
    const { answers, call } = await stream();
    const slow = call(1, 'herdr_call', { method: 'workspace.list' });
    await until('the slow call', () => herdr.requests.some(({ method }) => method === 'workspace.list'));
    const quick = call(2, 'herdr_inspect', {});
    await until('the quick answer', () => answers.length === 1);
    release();
    await until('the slow answer', () => answers.length === 2);
    expect(answers.map(({ number }) => number)).toEqual([2, 1]);
    expect(answers.map((answer) => opened(answer).envelope.dispatch_id)).toEqual([quick, slow]);
  });

  it('that are no calls are refused, and the stream goes on', async () => {
    const { socket, call, next } = await stream();
    const first = next();
    socket.write(onePiece(5, 0, [Buffer.from('no call at all')]));
    expect(await first).toMatchObject({ number: 5, status: 400 });
    const second = next();
    call(6, 'herdr_nothing', {});
    expect(opened(await second).envelope).toMatchObject({ code: 'unknown_tool', delivery: 'not_delivered' });
  });

  it('go on when the stream ends, and are joined over another', async () => {
    verifies('link.call-stream', 'runtime.call-join');
    let asks = 0;
    let release = () => {};
    herdr.methods['workspace.list'] = async () => {
      asks += 1;
      await new Promise<void>((resolve) => (release = resolve));
      return { type: 'workspace_list', workspaces: [] };
    };
    const args = { method: 'workspace.list' };
    const one = await stream();
    const id = one.call(1, 'herdr_call', args);
    await until('the call', () => asks === 1);
    one.socket.destroy();
    const two = await stream();
    two.call(9, 'herdr_call', args, { dispatch_id: id });
    const answer = two.next();
    release();
    expect(opened(await answer)).toMatchObject({ envelope: { dispatch_id: id, ok: true } });
    expect(asks).toBe(1);
  });

  it('of which only a part arrived never run', async () => {
    verifies('link.call-stream', 'dispatch.at-most-once');
    const { socket } = await stream();
    const args = { command: 'true', root: '/' };
    const envelope = envelopeFor('herdr_exec', args);
    const whole = onePiece(1, 0, [packHead(envelope), Buffer.from(JSON.stringify(args))]);
    socket.end(whole.subarray(0, whole.length - 1));
    await once(socket, 'close');
    const status = {
      method: 'herdr_mcp.dispatch.status',
      params: JSON.stringify({ dispatch_id: envelope.dispatch_id }),
    };
    expect((await rt.call('herdr_call', status)).json).toMatchObject({ found: false });
  });

  it('of several pieces, and large answers, come whole', async () => {
    const { socket, next } = await stream();
    const text = 'x'.repeat(700_000);
    const args = { method: 'workspace.list', nonsense: text };
    const first = next();
    for (const piece of piecesOf(3, 0, [packHead(envelopeFor('herdr_call', args)), Buffer.from(JSON.stringify(args))]))
      for (const bytes of piece) socket.write(bytes);
    expect(opened(await first).envelope).toMatchObject({ ok: false, code: 'invalid_params' });
    herdr.methods['workspace.list'] = () => ({ type: 'workspace_list', workspaces: [], note: text });
    const second = next();
    const plain = { method: 'workspace.list' };
    socket.write(onePiece(4, 0, [packHead(envelopeFor('herdr_call', plain)), Buffer.from(JSON.stringify(plain))]));
    expect(opened(await second).envelope.ok).toBe(true);
  });
});

describe('a peer that does not keep to the layout', () => {
  it.each([
    ['an answer', head(1, 200, 4, 4)],
    ['nothing', head(1, 0, 0, 0)],
    [
      'more at once than all calls together',
      Buffer.concat(Array.from({ length: 200 }, (_, n) => Buffer.concat([head(n, 0, 1_000_000, 1), Buffer.from('x')]))),
    ],
    ['more than a call may have', head(1, 0, 4_000_000, 1_000)],
    ['a message that changes its length', Buffer.concat([head(1, 0, 8, 4), Buffer.from('1234'), head(1, 0, 9, 4)])],
    [
      'too many calls at once',
      Buffer.concat(Array.from({ length: 1_025 }, (_, n) => Buffer.concat([head(n, 0, 9, 1), Buffer.from('x')]))),
    ],
  ])('%s is cut, and the runtime goes on', async (_, bytes) => {
    verifies('link.call-stream', 'runtime.bad-input');
    const { socket } = await stream();
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.write(bytes);
    await closed;
    expect((await rt.call('herdr_inspect')).envelope.ok).toBe(true);
  });

  it('is no danger, whatever it sends', async () => {
    verifies('link.call-stream', 'runtime.bad-input');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 64 }), { maxLength: 8 }), async (pieces) => {
        const { socket } = await stream();
        socket.removeAllListeners('data').resume();
        socket.on('error', () => undefined);
        for (const piece of pieces) socket.write(piece);
        socket.end();
        await once(socket, 'close');
      }),
      { numRuns: 25 },
    );
    expect((await fetch(`${rt.url}/health`)).status).toBe(200);
  });
});

describe('a runtime that stops', () => {
  it('answers what runs, takes nothing more, and ends its streams', async () => {
    verifies('link.call-stream');
    let release = () => {};
    let asks = 0;
    herdr.methods['workspace.list'] = async () => {
      asks += 1;
      await new Promise<void>((resolve) => (release = resolve));
      return { type: 'workspace_list', workspaces: [] };
    };
    const { socket, answers, call } = await stream();
    const idle = await stream();
    call(1, 'herdr_call', { method: 'workspace.list' });
    await until('the call', () => asks === 1);
    const closed = Promise.all([once(socket, 'close'), once(idle.socket, 'close')]);
    const stopping = rt.runtime.stop();
    call(2, 'herdr_inspect', {});
    await until('the refusal', () => answers.length === 1);
    expect(opened(answers[0] as Answer).envelope).toMatchObject({
      code: 'workstation_draining',
      delivery: 'not_delivered',
    });
    release();
    await closed;
    await stopping;
    expect(opened(answers[1] as Answer).envelope.ok).toBe(true);
  });

  it.each([
    ['that reads nothing', false],
    ['that began a call and does not end it', true],
  ])('does not wait for a link %s', async (_, half) => {
    verifies('link.call-stream');
    herdr.methods['workspace.list'] = () => ({ type: 'workspace_list', workspaces: [], note: 'x'.repeat(90_000) });
    const { socket, call } = await stream();
    const calls = half ? 1 : 128;
    if (!half) socket.pause(); // and what it does not read is more than the operating system keeps for it
    for (let number = 1; number <= calls; number += 1) call(number, 'herdr_call', { method: 'workspace.list' });
    await until('the calls', () => herdr.requests.filter(({ method }) => method === 'workspace.list').length === calls);
    if (half) socket.write(onePiece(999, 0, [Buffer.from('never whole')]).subarray(0, 20));
    await rt.runtime.stop();
    expect(rt.runtime.record.port).toBe(port());
  });
});
