/** What a request to Cloudflare's API came to. Pure: a status and a body in, a value out. */

export type Answer =
  | { is: 'ok'; result: unknown }
  /** The API said no: nothing was changed. */
  | { is: 'refused'; status: number; errors: readonly { code: number; message: string }[] }
  /** Whether it acted is not known: no whole answer, a gateway's page, or a fault of the server. */
  | { is: 'unknown'; why: string };

/** Judges a whole answer. Only a 4xx with the API's own words is a refusal; a 408 and a 429 are decided by what they say. */
export function judge(status: number, body: unknown): Answer {
  if (!isEnvelope(body)) return { is: 'unknown', why: `it answered ${status} and nothing that can be read` };
  if (status >= 200 && status < 300 && body.success === true) return { is: 'ok', result: body.result ?? null };
  if (status >= 400 && status < 500 && status !== 408) return { is: 'refused', status, errors: errorsOf(body.errors) };
  return { is: 'unknown', why: `it answered ${status}${sentenceOf(errorsOf(body.errors))}` };
}

/** The API's own words, for a person: ` (10007: not found)`, or nothing. */
export function sentenceOf(errors: readonly { code: number; message: string }[]): string {
  const first = errors[0];
  return first ? ` (${first.code}: ${first.message})` : '';
}

function isEnvelope(body: unknown): body is { success: unknown; result?: unknown; errors?: unknown } {
  return typeof body === 'object' && body !== null && 'success' in body;
}

function errorsOf(errors: unknown): { code: number; message: string }[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'code' in one && 'message' in one
      ? [{ code: Number(one.code), message: oneLine(String(one.message)) }]
      : [],
  );
}

const oneLine = (text: string): string =>
  text
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, 300);
