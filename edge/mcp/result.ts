import { objectIn } from './params.ts';

const encoder = new TextEncoder();

/** A successful answer of the edge itself, as the runtime would have written it. */
export function okResult(body: Record<string, unknown>): Uint8Array {
  return encoder.encode(JSON.stringify({ content: [{ type: 'text', text: JSON.stringify({ ok: true, ...body }) }] }));
}

/** What a result says. The edge reads only those that it has to add to. */
export function bodyIn(result: Uint8Array): Record<string, unknown> | undefined {
  const whole = objectIn(new TextDecoder().decode(result));
  const [first] = (whole?.content ?? []) as Array<{ text?: unknown } | undefined>;
  return typeof first?.text === 'string' ? objectIn(first.text) : undefined;
}
