const encoder = new TextEncoder();

/** A successful answer of the edge itself, as the runtime would have written it. */
export function okResult(body: Record<string, unknown>): Uint8Array {
  return encoder.encode(JSON.stringify({ content: [{ type: 'text', text: JSON.stringify({ ok: true, ...body }) }] }));
}
