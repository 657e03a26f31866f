/** Chrome's framing: four bytes of length, little endian, then that many bytes of UTF-8 JSON. */
import { FRAME_BYTES_ABSURD, FRAME_BYTES_MAX } from './limits.ts';

export type Frame = { kind: 'message'; message: unknown } | { kind: 'too_large' | 'not_json' | 'out_of_step' };

/** Cuts what arrives into frames. A frame that is too large is passed over; only after `out_of_step` nothing follows. */
export function createFrameReader(): (bytes: Uint8Array) => Frame[] {
  let held = Buffer.alloc(0);
  let skip = 0;
  let lost = false;
  return (bytes) => {
    const frames: Frame[] = [];
    if (lost) return frames;
    held = held.length === 0 ? Buffer.from(bytes) : Buffer.concat([held, bytes]);
    while (true) {
      if (skip > 0) {
        const passed = Math.min(skip, held.length);
        held = held.subarray(passed);
        skip -= passed;
        if (skip > 0) return frames;
      }
      if (held.length < 4) return frames;
      const length = held.readUInt32LE(0);
      if (length > FRAME_BYTES_ABSURD) {
        lost = true;
        held = Buffer.alloc(0);
        return [...frames, { kind: 'out_of_step' }];
      }
      if (length > FRAME_BYTES_MAX) {
        frames.push({ kind: 'too_large' });
        held = held.subarray(4);
        skip = length;
        continue;
      }
      if (held.length < 4 + length) return frames;
      frames.push(parse(held.subarray(4, 4 + length)));
      held = held.subarray(4 + length);
    }
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Uint8Array): Frame {
  try {
    return { kind: 'message', message: JSON.parse(decoder.decode(bytes)) };
  } catch {
    return { kind: 'not_json' };
  }
}

export function frameOf(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}
