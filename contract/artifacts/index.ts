/** Artifacts: bytes on their way between a web AI and a workstation, for minutes. What the edge takes and answers. */
import type { Static } from 'typebox';
import * as Type from 'typebox';

/** Largest artifact, in bytes. */
export const ARTIFACT_BYTES_MAX = 8 * 1024 * 1024;
/** How long one lives, in ms: a conversation's next step, not a place to keep things. */
export const ARTIFACT_MS = 15 * 60_000;

/** Types that are taken. What a browser or a shell would run is not among them, whatever its bytes are. */
export const ARTIFACT_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/plain',
  'text/markdown',
  'text/csv',
  'text/css',
  'application/json',
  'application/pdf',
  'application/zip',
  'application/gzip',
  'application/x-tar',
  'application/octet-stream',
] as const;
export type ArtifactType = (typeof ARTIFACT_TYPES)[number];

export const ArtifactId = Type.String({ pattern: '^[0-9a-f]{32}$' });

/** `POST /artifacts`. The capability is shown here and nowhere else; who has it may read and delete. */
export const ArtifactCreated = Type.Object({
  ok: Type.Literal(true),
  id: ArtifactId,
  mime_type: Type.String(),
  bytes: Type.Integer({ minimum: 1, maximum: ARTIFACT_BYTES_MAX }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  expires_at_ms: Type.Integer(),
  ttl_ms: Type.Integer(),
  capability: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  path: Type.String(),
});
export type ArtifactCreated = Static<typeof ArtifactCreated>;

/** `DELETE /artifacts/:id`. */
export const ArtifactDeleted = Type.Object({ ok: Type.Literal(true), deleted: Type.Literal(true) });

/** Every refusal with its HTTP status. */
export const ARTIFACT_ERRORS = {
  artifact_size_invalid: 400,
  artifact_id_invalid: 400,
  artifact_auth_failed: 401,
  artifact_read_only: 403,
  artifact_not_found: 404,
  artifact_expired: 404,
  payload_too_large: 413,
  artifact_mime_invalid: 415,
  artifact_format_mismatch: 415,
  rate_limited: 429,
  artifact_store_unavailable: 503,
} as const;
export type ArtifactErrorCode = keyof typeof ARTIFACT_ERRORS;
