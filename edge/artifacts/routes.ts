import { type Context, Hono } from 'hono';
import {
  ARTIFACT_BYTES_MAX,
  ARTIFACT_ERRORS,
  ARTIFACT_MS,
  type ArtifactCreated,
  type ArtifactErrorCode,
} from '../../contract/artifacts/index.ts';
import { hex } from '../../contract/canonical.ts';
import type { Env } from '../env.ts';
import { fleetOf } from '../fleet/index.ts';
import { countRefusal, privateJson, refusedTooOften } from '../http/index.ts';
import { log } from '../log.ts';
import { digest, randomHex, sameSecret } from '../secrets/index.ts';
import { type Asking, askingOf } from './asking.ts';
import { type ArtifactFacts, bodyOf, factsOf, put, remove } from './bucket.ts';
import { isOfType, typeOf } from './format.ts';

type RouteContext = Context<{ Bindings: Env }>;

export const artifactRoutes = new Hono<{ Bindings: Env }>();

const capabilityDigest = (capability: string): Promise<string> => digest('artifact-capability', capability);

artifactRoutes.post('/artifacts', async (c) => {
  const bucket = c.env.ARTIFACT_BUCKET;
  if (!bucket) return refuse('artifact_store_unavailable');
  const asking = await askingOf(c.req.raw, c.env);
  if (asking.kind === 'nobody' || asking.kind === 'capability') return unauthorised(asking);
  if (asking.readOnly) return refuse('artifact_read_only');
  const waitMs = await fleetOf(c.env).admitUpload(asking.id);
  if (waitMs > 0) return refuse('rate_limited', { retry_after_ms: waitMs });
  const mimeType = typeOf(c.req.header('content-type') ?? null);
  if (!mimeType) return refuse('artifact_mime_invalid');
  const body = await bytesUpTo(c.req.raw, ARTIFACT_BYTES_MAX);
  if (!body) return refuse('payload_too_large');
  if (body.byteLength === 0) return refuse('artifact_size_invalid');
  if (!isOfType(mimeType, body)) return refuse('artifact_format_mismatch');
  const id = randomHex(16);
  const capability = randomHex(32);
  const facts: ArtifactFacts = {
    mimeType,
    sha256: hex(new Uint8Array(await crypto.subtle.digest('SHA-256', body))),
    bytes: body.byteLength,
    expiresAtMs: Date.now() + ARTIFACT_MS,
    capabilityDigest: await capabilityDigest(capability),
    principalId: asking.id,
  };
  await put(bucket, id, body, facts);
  log('artifact_stored', { artifact: id, by: asking.id, bytes: facts.bytes, type: mimeType });
  const created: ArtifactCreated = {
    ok: true,
    id,
    mime_type: mimeType,
    bytes: facts.bytes,
    sha256: facts.sha256,
    expires_at_ms: facts.expiresAtMs,
    ttl_ms: ARTIFACT_MS,
    capability,
    path: `/artifacts/${id}`,
  };
  return privateJson(created, 201);
});

artifactRoutes.get('/artifacts/:id', async (c) => {
  const found = await find(c);
  if (found instanceof Response) return found;
  const object = await bodyOf(found.bucket, found.id);
  if (!object) return refuse('artifact_not_found');
  const { mimeType, bytes, sha256, expiresAtMs } = found.facts;
  return new Response(object.body, {
    headers: {
      'content-type': mimeType,
      'content-length': String(bytes),
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-artifact-id': found.id,
      'x-artifact-sha256': sha256,
      'x-artifact-expires-at-ms': String(expiresAtMs),
    },
  });
});

artifactRoutes.delete('/artifacts/:id', async (c) => {
  const found = await find(c);
  if (found instanceof Response) return found;
  await remove(found.bucket, found.id);
  log('artifact_deleted', { artifact: found.id });
  return privateJson({ ok: true, deleted: true });
});

/** The artifact that a request may have. Who may not learns the same as if it were not there. */
async function find(c: RouteContext): Promise<{ bucket: R2Bucket; id: string; facts: ArtifactFacts } | Response> {
  const bucket = c.env.ARTIFACT_BUCKET;
  if (!bucket) return refuse('artifact_store_unavailable');
  const id = c.req.param('id') ?? '';
  if (!/^[0-9a-f]{32}$/.test(id)) return refuse('artifact_id_invalid');
  const asking = await askingOf(c.req.raw, c.env);
  if (asking.kind === 'nobody') return unauthorised(asking);
  const waitMs = refusedTooOften(c.req.raw.headers, Date.now());
  if (waitMs > 0) return refuse('rate_limited', { retry_after_ms: waitMs });
  const facts = await factsOf(bucket, id);
  if (!facts || !(await mayHave(asking, facts))) {
    countRefusal(c.req.raw.headers, Date.now());
    return refuse('artifact_not_found');
  }
  if (facts.expiresAtMs > Date.now()) return { bucket, id, facts };
  await remove(bucket, id);
  return refuse('artifact_expired');
}

async function mayHave(asking: Exclude<Asking, { kind: 'nobody' }>, facts: ArtifactFacts): Promise<boolean> {
  if (asking.kind === 'device') return true;
  if (asking.kind === 'principal') return asking.id === facts.principalId;
  return sameSecret(await capabilityDigest(asking.capability), facts.capabilityDigest);
}

/** The body, or `undefined` when it is longer than `limit`. Never holds more than the limit. */
async function bytesUpTo(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const declared = Number(request.headers.get('content-length') ?? '0');
  if (declared > limit) {
    await request.body?.cancel();
    return undefined;
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body ?? []) {
    length += piece.byteLength;
    if (length > limit) return undefined;
    pieces.push(piece);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

const WORDS: Record<ArtifactErrorCode, [message: string, next: string]> = {
  artifact_store_unavailable: [
    'This edge has no store for artifacts; it is optional and off.',
    'Write the file with herdr_fs_write, or ask who deployed this edge to switch artifacts on.',
  ],
  artifact_auth_failed: [
    'The request shows neither a paired device, nor a connection, nor the capability of this artifact.',
    'Send the capability that the upload answered as bearer.',
  ],
  artifact_read_only: [
    'This connection is approved for reading only. Nothing was stored.',
    'Ask the owner to approve a connection that may also change things.',
  ],
  artifact_mime_invalid: [
    'This type is not taken. Nothing was stored.',
    'Send an image, text, JSON, PDF or archive under its own type; what a browser or a shell would run is refused.',
  ],
  artifact_format_mismatch: [
    'The bytes are not what the type says. Nothing was stored.',
    'Send the type that the bytes have.',
  ],
  payload_too_large: [
    `An artifact is at most ${ARTIFACT_BYTES_MAX} bytes. Nothing was stored.`,
    'Send it in parts, or smaller.',
  ],
  artifact_size_invalid: ['The body is empty. Nothing was stored.', 'Send the bytes as the body.'],
  artifact_id_invalid: ['This is no id of an artifact.', 'Use the path that the upload answered.'],
  artifact_not_found: ['There is no such artifact for this caller.', 'Upload it again: artifacts live 15 minutes.'],
  artifact_expired: ['The artifact has expired and was deleted.', 'Upload it again: artifacts live 15 minutes.'],
  rate_limited: [
    'Too many uploads, or too many requests that were refused. Nothing was stored.',
    'Wait as long as `retry_after_ms` says.',
  ],
};

function refuse(
  code: ArtifactErrorCode,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response {
  const [message, next] = WORDS[code];
  const retryable = code === 'rate_limited';
  return privateJson({ ok: false, code, message, next, retryable, ...more }, ARTIFACT_ERRORS[code], headers);
}

function unauthorised(asking: Asking): Response {
  const challenge = asking.kind === 'nobody' ? asking.challenge : undefined;
  return refuse('artifact_auth_failed', {}, challenge === undefined ? {} : { 'www-authenticate': challenge });
}
