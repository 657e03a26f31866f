import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import * as Value from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArtifactCreated } from '../../../contract/artifacts/index.ts';
import { sweepArtifacts } from '../../../edge/artifacts/index.ts';
import type { Env } from '../../../edge/env.ts';
import worker from '../../../edge/worker.ts';
import { verifies } from '../../verifies.ts';
import { ask, Client, Device, ORIGIN } from '../auth/harness.ts';
import { reset, stayInMemory } from '../evictions.ts';

const bindings = env as unknown as Env;
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const text = (words: string) => Uint8Array.from(new TextEncoder().encode(words));

let device: Device;
let token: string;

beforeEach(async () => {
  device = await Device.first();
  ({ access_token: token } = await (await Client.register()).connect(device));
});

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

function upload(body: Uint8Array, type: string, bearer = token): Promise<Response> {
  return ask('/artifacts', {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': type },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

async function stored(body = PNG, type = 'image/png'): Promise<ArtifactCreated> {
  return (await (await upload(body, type)).json()) as ArtifactCreated;
}

const get = (path: string, bearer?: string, method = 'GET') =>
  ask(path, { method, headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` } });

const codeOf = async (answer: Response) => `${answer.status} ${((await answer.json()) as { code: string }).code}`;

async function keys(): Promise<string[]> {
  const { objects } = await (bindings.ARTIFACT_BUCKET as R2Bucket).list();
  return objects.map(({ key }) => key);
}

describe('an artifact', () => {
  it('goes up with its type and comes down by its capability, as an attachment that nobody keeps', async () => {
    verifies('edge.artifacts');
    const answer = await upload(PNG, 'image/png; name=a');
    expect(answer.status).toBe(201);
    const created = (await answer.json()) as ArtifactCreated;
    expect(Value.Check(ArtifactCreated, created)).toBe(true);
    const down = await get(created.path, created.capability);
    expect(new Uint8Array(await down.arrayBuffer())).toEqual(PNG);
    expect(Object.fromEntries(down.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-artifact-sha256': created.sha256,
    });
    const object = await (bindings.ARTIFACT_BUCKET as R2Bucket).head(`artifacts/${created.id}`);
    expect(JSON.stringify(object?.customMetadata)).not.toContain(created.capability);
  });

  it('is had by its uploader, by a paired device and by its capability; everybody else is told it is not there', async () => {
    verifies('edge.artifacts');
    const created = await stored();
    const { access_token: other } = await (await Client.register({ client_name: 'Other' })).connect(device);
    expect((await get(created.path, token)).status).toBe(200);
    expect((await get(created.path, await device.token())).status).toBe(200);
    expect(await codeOf(await get(created.path, other))).toBe('404 artifact_not_found');
    expect(await codeOf(await get(created.path, '0'.repeat(64)))).toBe('404 artifact_not_found');
    expect(await codeOf(await get(`/artifacts/${'0'.repeat(32)}`, created.capability))).toBe('404 artifact_not_found');
    const anonymous = await get(created.path);
    expect(anonymous.headers.get('www-authenticate')).toContain('resource_metadata');
    expect(await codeOf(anonymous)).toBe('401 artifact_auth_failed');
    expect(await codeOf(await get('/artifacts/..%2f..%2fx', created.capability))).toBe('400 artifact_id_invalid');
  });

  it('is gone after fifteen minutes, deleted when somebody asks, or by the sweep', async () => {
    verifies('edge.artifacts');
    const created = await stored();
    const kept = await stored(text('later'), 'text/plain');
    vi.setSystemTime(created.expires_at_ms - 1);
    expect((await get(created.path, created.capability)).status).toBe(200);
    vi.setSystemTime(created.expires_at_ms);
    expect(await codeOf(await get(created.path, created.capability))).toBe('404 artifact_expired');
    expect(await keys()).toEqual([`artifacts/${kept.id}`]);
    vi.setSystemTime(kept.expires_at_ms + 1);
    const fresh = await stored(text('fresh'), 'text/plain');
    await sweepArtifacts(bindings);
    expect(await keys()).toEqual([`artifacts/${fresh.id}`]);
  });

  it('is deleted by whoever may have it, once', async () => {
    const created = await stored();
    expect(await (await get(created.path, created.capability, 'DELETE')).json()).toEqual({ ok: true, deleted: true });
    expect(await codeOf(await get(created.path, created.capability, 'DELETE'))).toBe('404 artifact_not_found');
    expect(await keys()).toEqual([]);
  });

  it('is not taken from a stranger, a capability, or an approval that only reads', async () => {
    const reader = await (await Client.register()).connect(device, { read_only: true });
    expect(await codeOf(await upload(PNG, 'image/png', 'conn_nobody:a:b'))).toBe('401 artifact_auth_failed');
    expect(await codeOf(await upload(PNG, 'image/png', 'a'.repeat(64)))).toBe('401 artifact_auth_failed');
    expect(await codeOf(await upload(PNG, 'image/png', reader.access_token))).toBe('403 artifact_read_only');
    expect(await keys()).toEqual([]);
  });

  it.each<[string, Uint8Array, string, string]>([
    ['empty', new Uint8Array(), 'text/plain', '400 artifact_size_invalid'],
    ['one byte too large', new Uint8Array(8 * 1024 * 1024 + 1).fill(65), 'text/plain', '413 payload_too_large'],
    ['HTML', text('<html>'), 'text/html', '415 artifact_mime_invalid'],
    ['SVG', text('<svg/>'), 'image/svg+xml', '415 artifact_mime_invalid'],
    ['a script', text('alert(1)'), 'application/javascript', '415 artifact_mime_invalid'],
    ['without a type', PNG, '', '415 artifact_mime_invalid'],
    ['HTML that says it is an image', text('<html>'), 'image/png', '415 artifact_format_mismatch'],
    [
      'a program that says it is bytes',
      text('\u007fELF...'),
      'application/octet-stream',
      '415 artifact_format_mismatch',
    ],
  ])('that is %s is refused and nothing is stored', async (_, body, type, code) => {
    verifies('edge.artifacts');
    expect(await codeOf(await upload(body, type))).toBe(code);
    expect(await keys()).toEqual([]);
  });

  it('of exactly 8 MiB is taken; the thirty-first upload of a minute is not', async () => {
    stayInMemory();
    expect((await upload(new Uint8Array(8 * 1024 * 1024).fill(65), 'text/plain')).status).toBe(201);
    for (let n = 1; n < 30; n++) await upload(new Uint8Array(), 'text/plain');
    expect(await codeOf(await upload(PNG, 'image/png'))).toBe('429 rate_limited');
  });

  it('has no place where no bucket is bound, and nothing else misses it', async () => {
    verifies('edge.artifacts');
    const { ARTIFACT_BUCKET: _, ...without } = bindings;
    const send = (path: string, method: string) =>
      worker.fetch(
        new Request(`${ORIGIN}${path}`, { method, headers: { authorization: `Bearer ${token}` } }) as never,
        without as Env,
        createExecutionContext(),
      ) as Promise<Response>;
    expect(await codeOf(await send('/artifacts', 'POST'))).toBe('503 artifact_store_unavailable');
    expect(await codeOf(await send(`/artifacts/${'0'.repeat(32)}`, 'GET'))).toBe('503 artifact_store_unavailable');
    expect((await send('/health', 'GET')).status).toBe(200);
    await sweepArtifacts(without as Env);
  });
});
