import { rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXTENSION_ID, extensionOrigin } from '../../../contract/extension/identity.ts';
import { NATIVE_MESSAGE_BYTES_MAX, NATIVE_RESPONSE_BYTES_MAX } from '../../../contract/extension/native.ts';
import { installNativeHost } from '../../../extension/native-host/index.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import { verifies } from '../../verifies.ts';
import { openPort, type Port, place, runtimeAt } from './port.ts';

const ORIGIN = extensionOrigin(EXTENSION_ID);
const OTHER = extensionOrigin('a'.repeat(32));
const here = place();
let server: Server;
const seen: { url: string; headers: Record<string, unknown>; body: string }[] = [];
const streams: import('node:http').ServerResponse[] = [];
let port: Port | undefined;

beforeAll(async () => {
  await installNativeHost(here.options);
  server = await runtimeAt(here.socket, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const url = request.url ?? '';
      seen.push({ url, headers: request.headers, body });
      if (url.startsWith('/push/events')) {
        streams.push(response);
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 2000\n');
      } else if (url === '/extension/agent/tasks?big') response.end('é"'.repeat(600_000));
      else if (url === '/extension/agent/tasks?huge') response.end('x'.repeat(NATIVE_RESPONSE_BYTES_MAX + 1));
      else if (url === '/extension/agent/tasks?never') return;
      else response.setHeader('content-type', 'application/json').end(JSON.stringify({ url, body }));
    });
  });
});
afterEach(async () => {
  await port?.close();
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  here.remove();
});

describe('the border between browser and workstation', () => {
  it('admits exactly the one origin, and says so to any other', async () => {
    verifies('extension.native-host', 'compat.native');
    port = openPort(here.wrapper, OTHER);
    port.send({ type: 'identity', id: '1' });
    expect(await port.wait('error', null)).toMatchObject({ error: 'extension_origin_not_allowed' });
    expect(await port.ended).toBe(0);
    port = openPort(here.wrapper, ORIGIN);
    port.send({ type: 'identity', id: '1' });
    expect(await port.wait('identity', '1')).toMatchObject({ active: true, extension_origin: ORIGIN });
  });

  it('carries requests beside each other, each answered by its id, with only the headers of the list', async () => {
    verifies('extension.native-host');
    port = openPort(here.wrapper, ORIGIN);
    port.send({ type: 'request', id: 'slow', method: 'GET', path: '/extension/agent/tasks?never', timeout_ms: 1_000 });
    port.send({
      type: 'request',
      id: 'mcp',
      method: 'POST',
      path: '/mcp',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}',
    });
    const answer = await port.wait('response', 'mcp');
    expect(JSON.parse(answer.body)).toEqual({ url: '/mcp', body: '{"a":1}' });
    expect(await port.wait('error', 'slow')).toMatchObject({ error: 'native_request_timeout' });
    expect(Object.keys(seen.find(({ url }) => url === '/mcp')?.headers ?? {})).not.toContain('authorization');
  });

  it('passes on nothing but what is on the list', async () => {
    verifies('extension.native-host');
    const refused: [Record<string, unknown>, string][] = [
      [{ method: 'GET', path: '/health' }, 'proxy_path_not_allowed'],
      [{ method: 'GET', path: '/extension/agent/../../call' }, 'invalid_native_message'],
      [{ method: 'GET', path: '//evil/mcp' }, 'invalid_native_message'],
      [{ method: 'GET', path: 'http://127.0.0.1/mcp' }, 'invalid_native_message'],
      [{ method: 'GET', path: '/extension/agent/tasks/ack' }, 'proxy_method_not_allowed'],
      [{ method: 'POST', path: '/mcp', headers: { Authorization: 'Bearer x' } }, 'invalid_proxy_header'],
      [{ method: 'POST', path: '/mcp', headers: { accept: 'a\r\nb: c' } }, 'invalid_proxy_header'],
      [{ method: 'POST', path: '/mcp', body: 'x'.repeat(1024 * 1024 + 1) }, 'native_request_too_large'],
      [{ method: 'POST', path: '/mcp', body: { no: 'text' } }, 'invalid_native_message'],
    ];
    port = openPort(here.wrapper, ORIGIN);
    const before = seen.length;
    for (const [index, [request]] of refused.entries()) port.send({ type: 'request', id: `r${index}`, ...request });
    for (const [index, [, error]] of refused.entries()) {
      expect(await port.wait('error', `r${index}`)).toMatchObject({ error });
    }
    expect(seen.length).toBe(before);
  });

  it('keeps every message under 512 KiB in both directions, whatever the text, and loses no character', async () => {
    verifies('extension.native-host', 'compat.native');
    port = openPort(here.wrapper, ORIGIN);
    port.send({ type: 'request', id: 'big', method: 'GET', path: '/extension/agent/tasks?big' });
    const { body } = await port.wait('response', 'big');
    expect(body === 'é"'.repeat(600_000)).toBe(true);
    expect(port.frames.length).toBeGreaterThan(3);
    expect(Math.max(...port.frames)).toBeLessThanOrEqual(NATIVE_MESSAGE_BYTES_MAX);
    const sent = '\u0000"\\日'.repeat(100_000);
    port.send({ type: 'request', id: 'up', method: 'POST', path: '/extension/continuity/turn', body: sent });
    expect(JSON.parse((await port.wait('response', 'up')).body).body === sent).toBe(true);
    port.send({ type: 'request', id: 'huge', method: 'GET', path: '/extension/agent/tasks?huge' });
    expect(await port.wait('error', 'huge')).toMatchObject({ error: 'native_response_too_large' });
  });

  it('answers whatever is no message, and goes on', async () => {
    verifies('extension.native-host');
    port = openPort(here.wrapper, ORIGIN);
    const large = Buffer.alloc(4 + 1024 * 1024 + 1, 0x20);
    large.writeUInt32LE(1024 * 1024 + 1);
    port.bytes(large);
    port.bytes(Buffer.from([2, 0, 0, 0, 0xff, 0xfe]));
    port.send({ type: 'dance', id: 'd' });
    port.send({ type: 'piece', of: 'x', index: 3, total: 4, text: '' });
    port.send({ type: 'identity', id: 'after' });
    await port.wait('identity', 'after');
    const errors = port.received.filter((one) => one.type === 'error').map((one) => one.error);
    expect(errors).toEqual([
      'native_message_too_large',
      'invalid_native_message',
      'invalid_native_message',
      'invalid_native_message',
    ]);
    port.bytes(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    expect(await port.ended).toBe(0);
  });

  it('passes the stream on as it comes, ends it when asked, and falls silent when another build is registered', async () => {
    verifies('extension.native-host');
    port = openPort(here.wrapper, ORIGIN);
    port.send({ type: 'stream', id: 's', path: '/push/events', last_event_id: 'boot:7' });
    await port.wait('stream_open', 's');
    expect(seen.at(-1)?.headers['last-event-id']).toBe('boot:7');
    streams.at(-1)?.write('event: hello\ndata: {"日":1}\n\n');
    const text = () => port?.received.flatMap((one) => (one.type === 'stream_chunk' ? [one.text] : [])).join('') ?? '';
    await until('the event', () => text().includes('{"日":1}'));
    port.send({ type: 'cancel', id: 's' });
    await until('the runtime sees it end', () => streams.at(-1)?.destroyed);
    port.send({ type: 'stream', id: 's2', path: '/push/events' });
    await port.wait('stream_open', 's2');
    await installNativeHost({ ...here.options, extensionId: 'a'.repeat(32) });
    expect(await port.wait('error', null)).toMatchObject({ error: 'extension_origin_not_active' });
    expect(await port.ended).toBe(0);
    await installNativeHost(here.options);
  });

  it('ends with its browser, and lets go of what it was doing', async () => {
    verifies('extension.native-host');
    port = openPort(here.wrapper, ORIGIN);
    port.send({ type: 'stream', id: 's', path: '/push/events' });
    await port.wait('stream_open', 's');
    port.send({ type: 'request', id: 'r', method: 'GET', path: '/extension/agent/tasks?never' });
    await port.close();
    expect(await port.ended).toBe(0);
    await until('the runtime sees the stream end', () => streams.at(-1)?.destroyed);
  });

  it('says that no runtime answers, and works again when one does', async () => {
    verifies('extension.native-host');
    const away = place();
    await installNativeHost(away.options);
    port = openPort(away.wrapper, ORIGIN);
    port.send({ type: 'request', id: '1', method: 'GET', path: '/push/state' });
    expect(await port.wait('error', '1')).toMatchObject({ error: 'extension_ipc_unavailable' });
    const late = await runtimeAt(away.socket, (_request, response) => response.end('{}'));
    port.send({ type: 'request', id: '2', method: 'GET', path: '/push/state' });
    expect(await port.wait('response', '2')).toMatchObject({ status: 200 });
    late.closeAllConnections();
    late.close();
    rmSync(away.socket, { force: true });
    await port.close();
    away.remove();
  });
});
