import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mask, unmask } from '../../../link/socket/mask.ts';

it('a frame is masked as RFC 6455 says, wherever its bytes lie, and unmasked to what it was', () => {
  const bytes = fc.uint8Array({ maxLength: 100 });
  const key = fc.uint8Array({ minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(bytes, key, fc.nat(5), fc.nat(20), (payload, four, shift, offset) => {
      const source = new Uint8Array(shift + payload.length).subarray(shift);
      source.set(payload);
      const output = new Uint8Array(shift + offset + payload.length + 3).subarray(shift);
      mask(source, four, output, offset, payload.length);
      const expected = [...payload].map((byte, i) => byte ^ (four[i % 4] as number));
      expect([...output]).toEqual([...new Array(offset).fill(0), ...expected, 0, 0, 0]);
      const back = output.subarray(offset, offset + payload.length);
      unmask(back, four);
      expect([...back]).toEqual([...payload]);
    }),
  );
});
