/**
 * The masking of WebSocket frames, four bytes at a time. ws masks byte by byte unless it finds the native package
 * `bufferutil`, whose place this file takes in the bundle (scripts/build/node.ts): no binary, nothing to compile at an
 * install, and a frame of 512 KiB is masked in a fifth of the time (bench/README.md, P10).
 */

/** As ws calls it: `length` bytes of `source` under the four bytes of `mask`, written to `output` from `offset` on. */
export function mask(source: Uint8Array, key: Uint8Array, output: Uint8Array, offset: number, length: number): void {
  const from = new DataView(source.buffer, source.byteOffset, length);
  const to = new DataView(output.buffer, output.byteOffset + offset, length);
  const word = new DataView(key.buffer, key.byteOffset, 4).getInt32(0, true);
  const end = length - (length % 16);
  let at = 0;
  for (; at < end; at += 16) {
    to.setInt32(at, from.getInt32(at, true) ^ word, true);
    to.setInt32(at + 4, from.getInt32(at + 4, true) ^ word, true);
    to.setInt32(at + 8, from.getInt32(at + 8, true) ^ word, true);
    to.setInt32(at + 12, from.getInt32(at + 12, true) ^ word, true);
  }
  for (; at < length; at++) to.setUint8(at, from.getUint8(at) ^ (key[at % 4] as number));
}

/** The same, in place. */
export function unmask(buffer: Uint8Array, key: Uint8Array): void {
  mask(buffer, key, buffer, 0, buffer.length);
}
