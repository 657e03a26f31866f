/** The body as text, or `undefined` when it is longer than `limit` bytes. Never holds more than the limit in memory. */
export async function textUpTo(message: Request | Response, limit: number): Promise<string | undefined> {
  const declared = Number(message.headers.get('content-length') ?? '0');
  if (Number.isFinite(declared) && declared > limit) {
    await message.body?.cancel();
    return undefined;
  }
  if (!message.body) return '';
  const reader = message.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    if (length > limit) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
