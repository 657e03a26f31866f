import { describe, expect, it } from 'vitest';
import { HERDR_METHODS, readServerLine, requestLine } from '../../../contract/herdr/index.ts';
import { verifies } from '../../verifies.ts';
import { endHerdr, exchange, Line, schemaMethods, startHerdr, theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

const answer = async (bytes: string | Uint8Array, halfClose = false) => {
  const texts = await exchange(herdr.path, bytes, halfClose);
  return texts.map(readServerLine);
};

describe('a plain call', () => {
  it('is answered on one line with its own id, and the connection closes', async () => {
    verifies('embedded.protocol');
    const pong = await herdr.call('ping', {});
    expect(pong.type).toBe('pong');
    if (herdr.kind === 'embedded') {
      expect(pong).toMatchObject({
        version: '0.8.0-embedded.1',
        protocol: 19,
        capabilities: { live_handoff: false, detached_server_daemon: false },
      });
    }
    expect(pong.protocol).toBeGreaterThanOrEqual(17);
  });

  it('ignores unknown keys in the envelope and in the params', async () => {
    const line = JSON.stringify({ id: 'k', method: 'ping', params: { later: 1 }, trace: 'x' });
    expect(await answer(`${line}\n`)).toMatchObject([{ kind: 'result', id: 'k' }]);
  });

  it('survives a half-close and a line that comes in two writes', async () => {
    expect(await answer(requestLine('h', 'ping', {}), true)).toMatchObject([{ kind: 'result', id: 'h' }]);
    const split = new Line(herdr.path);
    await split.open();
    const text = requestLine('s', 'session.snapshot', {});
    split.socket.write(text.slice(0, 9));
    await new Promise((resolve) => setImmediate(resolve));
    split.socket.write(text.slice(9));
    expect(await split.at(0)).toMatchObject({ kind: 'result', id: 's' });
    await split.closed;
  });

  it('takes a line of almost 1 MiB', async () => {
    const padding = 'x'.repeat(1024 * 1024 - 200);
    const line = JSON.stringify({ id: 'big', method: 'ping', params: { padding } });
    expect(await answer(`${line}\n`)).toMatchObject([{ kind: 'result', id: 'big' }]);
  });
});

describe('bad input', () => {
  it('is dropped without an answer when it is no line at all', async () => {
    verifies('embedded.refusals');
    const tooLong = `{"id":"a","method":"ping","params":{"x":"${'y'.repeat(2 * 1024 * 1024)}"}}\n`;
    const notUtf8 = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]);
    expect(await answer('{"id":"a","method":"pi', true)).toEqual([]);
    expect(await answer(tooLong)).toEqual([]);
    expect(await answer(notUtf8)).toEqual([]);
    expect(await answer('\n')).toEqual([]);
  });

  it('is dropped when the line does not come to an end in time', async () => {
    const slow = new Line(herdr.path);
    await slow.open();
    slow.socket.write('{"id":"slow"');
    await slow.closed;
    expect(slow.texts).toEqual([]);
  });

  const unparsable: [string, string][] = [
    ['no JSON', 'hello\n'],
    ['no object', '[1]\n'],
    ['a number as id', '{"id":1,"method":"ping","params":{}}\n'],
    ['no params', '{"id":"a","method":"ping"}\n'],
    ['null as params', '{"id":"a","method":"ping","params":null}\n'],
    ['no method', '{"id":"a","params":{}}\n'],
    ['an unknown method', requestLine('a', 'pane.dance', {})],
    ['a missing parameter', requestLine('a', 'pane.get', {})],
    ['a parameter of another type', requestLine('a', 'pane.send_keys', { pane_id: 'w1:p1', keys: 'enter' })],
    ['an unknown source', requestLine('a', 'pane.read', { pane_id: 'w1:p1', source: 'everything' })],
    ['null for a flag', requestLine('a', 'workspace.create', { focus: null })],
    ['an unknown subscription', requestLine('a', 'events.subscribe', { subscriptions: [{ type: 'pane.painted' }] })],
    [
      'a status subscription without a pane',
      requestLine('a', 'events.subscribe', { subscriptions: [{ type: 'pane.agent_status_changed' }] }),
    ],
    ['a key twice', '{"id":"a","id":"b","method":"ping","params":{}}\n'],
  ];
  it.each(unparsable)('is refused with an empty id: %s', async (_what, bytes) => {
    expect(await answer(bytes)).toMatchObject([{ kind: 'error', id: '', error: { code: 'invalid_request' } }]);
  });

  it('ends a waiting call without an answer when a second request comes on its connection', async () => {
    const pane = await herdr.open('waiting');
    const wait = { pane_id: pane.pane_id, source: 'visible', match: { type: 'substring', value: 'never-printed' } };
    const both = new Line(herdr.path);
    await both.open();
    both.socket.write(requestLine('one', 'pane.wait_for_output', wait));
    both.socket.write(requestLine('two', 'ping', {}));
    await both.closed;
    expect(both.texts).toEqual([]);
    const stream = await herdr.subscribe([{ type: 'pane.created' }]);
    stream.line.socket.write(requestLine('three', 'ping', {}));
    await stream.line.closed;
    expect(stream.events.every((pushed) => pushed.event === 'pane_created')).toBe(true);
  });

  it('ends a waiting call without an answer when its caller half-closes', async () => {
    const pane = await herdr.open('half-closed');
    const wait = { pane_id: pane.pane_id, source: 'visible', match: { type: 'substring', value: 'never-printed' } };
    expect(await answer(requestLine('gone', 'pane.wait_for_output', wait), true)).toEqual([]);
  });

  it('leaves the server able to answer the next caller', async () => {
    await Promise.all(
      Array.from({ length: 50 }, async (_unused, index) => {
        const line = new Line(herdr.path);
        await line.open();
        if (index % 2 === 0) line.socket.write('{"half');
        line.socket.destroy();
        await line.closed;
      }),
    );
    expect((await herdr.call('ping', {})).type).toBe('pong');
  });
});

describe('methods', () => {
  it('are those of Herdr’s schema', () => {
    verifies('embedded.protocol');
    const known = schemaMethods();
    expect(known.filter((name) => !HERDR_METHODS.includes(name))).toEqual([]);
    // The schema leaves this one out on purpose.
    expect(HERDR_METHODS.filter((name) => !known.includes(name))).toEqual(['pane.graphics.stream']);
  });

  it('that are not built say so under the caller’s id', async () => {
    if (theirs(herdr, 'not-built')) {
      expect((await herdr.send('plugin.list', {})).type).toBe('plugin_list');
      return;
    }
    const refused = await herdr.refused('plugin.list', {});
    expect(refused.code).toBe('not_implemented');
    expect(refused.id).toMatch(/^t-/);
  });

  it('refuse a notification without a title', async () => {
    expect(await herdr.refusal('notification.show', { title: ' ' })).toBe('invalid_params');
    const shown = await herdr.call('notification.show', { title: 'done' });
    expect(shown.shown).toBe(false);
  });
});

describe('server.stop', () => {
  it('answers first; then waiters are ended without a result and the process is gone', async () => {
    const other = await startHerdr();
    const pane = await other.open('stopping');
    const waiter = new Line(other.path);
    await waiter.open();
    waiter.socket.write(
      requestLine('w', 'pane.wait_for_output', {
        pane_id: pane.pane_id,
        source: 'visible',
        match: { type: 'substring', value: 'never-printed' },
      }),
    );
    expect((await other.call('server.stop', {})).type).toBe('ok');
    await waiter.closed;
    // A plain end, or the refusal of a probe that was under way: either says that nothing was found.
    for (const text of waiter.texts) {
      expect(readServerLine(text)).toMatchObject({ kind: 'error', error: { code: 'server_unavailable' } });
    }
    await until('the end of the process', () => other.child.exitCode !== null);
    expect(other.child.exitCode).toBe(0);
    await endHerdr(other);
  });
});
