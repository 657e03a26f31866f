/** What never reaches a log, by the name that it stands under and by its looks. */
import { LOG_DEPTH_MAX } from '../limits.ts';

const REDACTED = '[redacted]';

/** `token`, `accessToken`, `client_secret`, `Authorization`; not `token_count`. */
const SECRET_NAME =
  /(token|secret|password|passphrase|authorization|cookie|private_?key|api_?key|verifier|bearer|jwt)$/i;

/** An OAuth code or a person's six digits stand under `code`, and so do error codes: only the latter look like words. */
const CODE_NAME = /code$/i;
const CODE_WORD = /^[A-Za-z]+([_-][A-Za-z0-9]+)*$/;

/** A log record with every value under a secret's name replaced. Errors keep message and stack. Never changes its input. */
export function redactRecord(record: Record<string, unknown>): Record<string, unknown> {
  return walk(record, LOG_DEPTH_MAX, new Set()) as Record<string, unknown>;
}

function walk(value: unknown, depth: number, above: Set<unknown>): unknown {
  if (value instanceof Error) return walk(plainError(value), depth, above);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (depth === 0 || above.has(value)) return '[nested]';
  const path = new Set(above).add(value);
  if (Array.isArray(value)) return value.map((item) => walk(item, depth - 1, path));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name, inner) ? REDACTED : walk(inner, depth - 1, path),
    ]),
  );
}

function isSecret(name: string, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return false;
  if (SECRET_NAME.test(name)) return true;
  if (!CODE_NAME.test(name)) return false;
  return typeof value === 'string' ? value !== '' && !CODE_WORD.test(value) : Number(value) >= 100_000;
}

function plainError(error: Error): Record<string, unknown> {
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...('code' in error ? { code: error.code } : {}),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  };
}

/** A text with bearers, signed tokens, and secrets in addresses taken out. */
export function redactText(text: string): string {
  return text
    .replace(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`)
    .replace(/\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, REDACTED)
    .replace(
      /([?&#](?:code|token|access_token|refresh_token|client_secret|code_verifier|state)=)[^&\s"'\\#]+/gi,
      `$1${REDACTED}`,
    );
}
