/** The bucket: private, one object an artifact, everything that is known of it in its metadata. */
import type { ArtifactType } from '../../contract/artifacts/index.ts';

const PREFIX = 'artifacts/';
/** Objects of one page of the sweep, and pages of one sweep: what a cron run has time for. */
const PAGE = 100;
const PAGES_MAX = 50;

export interface ArtifactFacts {
  mimeType: ArtifactType;
  sha256: string;
  bytes: number;
  expiresAtMs: number;
  /** Digest of the capability, which itself is stored nowhere. */
  capabilityDigest: string;
  /** Who uploaded it. */
  principalId: string;
}

const keyOf = (id: string): string => `${PREFIX}${id}`;

export async function put(bucket: R2Bucket, id: string, body: Uint8Array, facts: ArtifactFacts): Promise<void> {
  await bucket.put(keyOf(id), body, {
    httpMetadata: { contentType: facts.mimeType },
    customMetadata: {
      mime_type: facts.mimeType,
      sha256: facts.sha256,
      bytes: String(facts.bytes),
      expires_at_ms: String(facts.expiresAtMs),
      capability_sha256: facts.capabilityDigest,
      principal: facts.principalId,
    },
  });
}

export async function factsOf(bucket: R2Bucket, id: string): Promise<ArtifactFacts | undefined> {
  const head = await bucket.head(keyOf(id));
  return head ? read(head) : undefined;
}

export function bodyOf(bucket: R2Bucket, id: string): Promise<R2ObjectBody | null> {
  return bucket.get(keyOf(id));
}

export function remove(bucket: R2Bucket, id: string): Promise<void> {
  return bucket.delete(keyOf(id));
}

/** Deletes what has expired; how many went. What cannot be read is deleted too: nobody could be given it. */
export async function sweep(bucket: R2Bucket, nowMs: number): Promise<number> {
  let cursor: string | undefined;
  let gone = 0;
  for (let page = 0; page < PAGES_MAX; page++) {
    const listed = await bucket.list({
      prefix: PREFIX,
      limit: PAGE,
      include: ['customMetadata'],
      ...(cursor === undefined ? {} : { cursor }),
    });
    const over = listed.objects.filter((object) => read(object).expiresAtMs <= nowMs).map(({ key }) => key);
    if (over.length > 0) await bucket.delete(over);
    gone += over.length;
    if (!listed.truncated) break;
    cursor = listed.cursor;
  }
  return gone;
}

function read({ customMetadata = {} }: R2Object): ArtifactFacts {
  const number = (text: string | undefined) => (text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0);
  return {
    mimeType: customMetadata['mime_type'] as ArtifactType,
    sha256: customMetadata['sha256'] ?? '',
    bytes: number(customMetadata['bytes']),
    expiresAtMs: number(customMetadata['expires_at_ms']),
    capabilityDigest: customMetadata['capability_sha256'] ?? '',
    principalId: customMetadata['principal'] ?? '',
  };
}
