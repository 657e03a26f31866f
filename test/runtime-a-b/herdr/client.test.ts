import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHerdrClient, HerdrFailure, herdrOutcome } from '../../../runtime-a-b/herdr/index.ts';
import { HERDR_ANSWER_BYTES_MAX } from '../../../runtime-a-b/limits.ts';
import { verifies } from '../../verifies.ts';
import { FakeError, type FakeHerdr, fakeHerdr, tempFolder, until } from '../support/index.ts';

const folder = tempFolder();
afterAll(() => folder.remove());

let herdr: FakeHerdr;
beforeEach(async () => {
  herdr = await fakeHerdr();
});
afterEach(() => herdr.stop());

const failureOf = async (call: Promise<unknown>): Promise<HerdrFailure> => {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof HerdrFailure)) throw new Error(`not a HerdrFailure: ${String(error)}`);
  return error;
};

describe('one request to Herdr', () => {
  it('opens a connection for each call, writes one whole line and never half-closes', async () => {
    verifies('herdr.client');
    const client = createHerdrClient(herdr.path);
    const answers = await Promise.all([
      client.call('ping', {}),
      client.call('session.snapshot', {}),
      client.call('ping', {}),
    ]);
    expect(answers.map(({ type }) => type)).toEqual(['pong', 'session_snapshot', 'pong']);
    expect(herdr.requests).toHaveLength(3);
    expect(new Set(herdr.requests.map(({ id }) => id)).size).toBe(3);
    expect(herdr.halfClosed).toBe(0);
  });

  it('puts an answer together that comes in pieces, cut inside a character', async () => {
    const line = Buffer.from(
      `${JSON.stringify({ id: 'x', result: { type: 'pong', version: '0.8.0 ✳', protocol: 19 } })}\n`,
    );
    herdr.methods.ping = (_, socket) => {
      const cut = line.indexOf('✳') + 1;
      socket.write(line.subarray(0, cut));
      setImmediate(() => socket.end(line.subarray(cut)));
      return undefined;
    };
    expect((await createHerdrClient(herdr.path).call('ping', {})).version).toBe('0.8.0 ✳');
  });

  it('takes an error answer with any id as what it says', async () => {
    herdr.methods['agent.get'] = () => new FakeError('agent_not_found', 'there is no agent x');
    const failure = await failureOf(createHerdrClient(herdr.path).call('agent.get', { target: 'x' }));
    expect(failure).toMatchObject({ code: 'agent_not_found', answered: true, delivery: 'delivered' });
  });

  it('proves non-delivery only by a socket that is missing or that nobody serves', async () => {
    verifies('herdr.client');
    const missing = await failureOf(createHerdrClient(join(folder.path, 'none.sock')).call('ping', {}));
    expect(missing).toMatchObject({ code: 'socket_missing', delivery: 'not_delivered' });

    const stale = join(folder.path, 'stale.sock');
    const dead = createServer().listen(stale);
    await new Promise((resolve) => dead.once('listening', resolve));
    // Closing removes the file, so the bound file is kept by renaming it away and back.
    const { renameSync } = await import('node:fs');
    renameSync(stale, `${stale}.kept`);
    await new Promise((resolve) => dead.close(resolve));
    renameSync(`${stale}.kept`, stale);
    expect(await failureOf(createHerdrClient(stale).call('ping', {}))).toMatchObject({
      code: 'connection_refused',
      delivery: 'not_delivered',
    });

    const file = join(folder.path, 'file.sock');
    writeFileSync(file, '');
    const refused = await failureOf(createHerdrClient(file).call('ping', {}));
    expect(refused.delivery).not.toBe('delivered');
    rmSync(file);
  });

  it.each<[string, string, (socket: import('node:net').Socket) => void]>([
    ['unexpected_eof', 'the connection ends without an answer', (socket) => socket.end()],
    ['unexpected_eof', 'the connection ends inside an answer', (socket) => socket.end('{"id":"x","res')],
    ['parse_error', 'the answer is no JSON', (socket) => socket.end('nonsense\n')],
    ['parse_error', 'an event comes instead', (socket) => socket.end('{"event":"pane_created","data":{}}\n')],
    ['parse_error', 'the result has no type', (socket) => socket.end('{"id":"x","result":{}}\n')],
    [
      'response_too_large',
      'the answer never ends',
      (socket) => socket.write(Buffer.alloc(HERDR_ANSWER_BYTES_MAX + 2, 'x')),
    ],
  ])('answers %s when %s, and does not claim that nothing was delivered', async (code, _, act) => {
    herdr.methods.ping = (__, socket) => {
      act(socket);
      return undefined;
    };
    expect(await failureOf(createHerdrClient(herdr.path).call('ping', {}))).toMatchObject({
      code,
      answered: false,
      delivery: 'unknown',
    });
  });

  it('does not give up before two seconds, however little time it is given, and then says unknown', async () => {
    let asked = 0;
    herdr.methods.ping = () => {
      asked = performance.now();
      return undefined;
    };
    const failure = await failureOf(createHerdrClient(herdr.path).call('ping', {}, { timeoutMs: 1 }));
    expect(failure).toMatchObject({ code: 'timeout', delivery: 'unknown', message: 'no answer within 2000 ms' });
    expect(asked).toBeGreaterThan(0);
  });

  it('stops waiting when its caller cancels', async () => {
    herdr.methods.ping = () => undefined;
    const abort = new AbortController();
    const call = failureOf(createHerdrClient(herdr.path).call('ping', {}, { signal: abort.signal }));
    await until('the request', () => herdr.requests.length === 1);
    abort.abort();
    expect((await call).code).toBe('aborted');
    expect((await failureOf(createHerdrClient(herdr.path).call('ping', {}, { signal: abort.signal }))).code).toBe(
      'aborted',
    );
  });

  it('never sends a line that Herdr would drop without a word', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const failure = await failureOf(createHerdrClient(herdr.path).call('pane.send_text', { pane_id: 'w1:p1', text }));
    expect(failure).toMatchObject({ code: 'encode_error', delivery: 'not_delivered' });
    expect(herdr.requests).toEqual([]);
    expect(herdrOutcome(failure, 'pane.send_text').code).toBe('payload_too_large');
  });
});

describe('the outcome of a failed call', () => {
  it.each([
    [new HerdrFailure('workspace_not_found', 'm', true), 'workspace_not_found', 'delivered'],
    [new HerdrFailure('dirty_worktree_requires_force', 'm', true), 'herdr_error', 'delivered'],
    [new HerdrFailure('socket_missing', 'm', false), 'herdr_unavailable', 'not_delivered'],
    [new HerdrFailure('timeout', 'm', false), 'herdr_unavailable', 'unknown'],
    [new HerdrFailure('unexpected_eof', 'm', false), 'herdr_unavailable', 'unknown'],
  ])('%s becomes %s, %s', (failure, code, delivery) => {
    const outcome = herdrOutcome(failure, 'workspace.close');
    expect(outcome).toMatchObject({ code, delivery, details: { method: 'workspace.close', herdr_code: failure.code } });
    expect(outcome.toFailure('write').retryable).toBe(false);
    expect(outcome.next).not.toBe('');
  });
});

describe('what Herdr says of a long parameter', () => {
  it.each(['agent_not_found', 'invalid_params'])('is told by its beginning: %s', (code) => {
    const failure = new HerdrFailure(code, `no such thing: ${'x'.repeat(200_000)}`, true);
    const outcome = herdrOutcome(failure, 'agent.get');
    expect(outcome.message).toContain('no such thing: xxx');
    expect(JSON.stringify([outcome.message, outcome.details]).length).toBeLessThan(4_000);
  });
});
