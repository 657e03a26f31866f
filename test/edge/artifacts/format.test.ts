import { expect, it } from 'vitest';
import { isOfType, typeOf } from '../../../edge/artifacts/format.ts';

const text = (words: string) => Uint8Array.from(new TextEncoder().encode(words));
const bytes = (...list: number[]) => Uint8Array.from(list);
const tar = new Uint8Array(512);
tar.set(text('ustar'), 257);

it.each<[string, Uint8Array, boolean]>([
  ['image/jpeg', bytes(0xff, 0xd8, 0xff, 0xe0), true],
  ['image/jpeg', bytes(0xff, 0xd8), false],
  ['image/gif', text('GIF89a..'), true],
  ['image/gif', text('GIF88a..'), false],
  ['image/webp', text('RIFF____WEBPVP8 '), true],
  ['image/webp', text('RIFF____WAVE'), false],
  ['application/pdf', text('%PDF-1.7'), true],
  ['application/pdf', text('<%PDF-'), false],
  ['application/zip', bytes(0x50, 0x4b, 3, 4), true],
  ['application/gzip', bytes(0x1f, 0x8b, 8), true],
  ['application/x-tar', tar, true],
  ['application/x-tar', new Uint8Array(512), false],
  ['application/json', text('{"a":1}'), true],
  ['application/json', text('{a:1}'), false],
  ['text/csv', text('名前,値'), true],
  ['text/plain', bytes(0xff, 0xfe), false],
  ['text/plain', bytes(65, 0), false],
  ['application/octet-stream', bytes(0, 1, 2), true],
  ['application/octet-stream', text('#!/bin/sh'), false],
  ['application/octet-stream', text('MZ..'), false],
])('%s with its bytes: %#', (type, body, fits) => {
  const known = typeOf(type);
  expect(known !== undefined && isOfType(known, body)).toBe(fits);
});
