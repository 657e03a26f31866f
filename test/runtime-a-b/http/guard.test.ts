import { describe, expect, it } from 'vitest';
import { isBearer, isLoopbackHost, isLoopbackOrigin } from '../../../runtime-a-b/http/guard.ts';
import { verifies } from '../../verifies.ts';

describe('who may speak to the loopback port', () => {
  it.each([
    ['127.0.0.1:8772', true],
    ['localhost:8772', true],
    ['LOCALHOST:8772', true],
    ['[::1]:8772', true],
    ['127.0.0.1:8773', false],
    ['127.0.0.1', false],
    ['evil.example:8772', false],
    ['127.0.0.1.evil.example:8772', false],
    ['localhost.evil.example:8772', false],
    ['127.0.0.1:8772:8772', false],
    ['', false],
    [undefined, false],
  ])('Host %s: %s', (host, expected) => {
    verifies('runtime.loopback');
    expect(isLoopbackHost(host, 8772)).toBe(expected);
  });

  it.each([
    [undefined, true],
    ['http://127.0.0.1:3000', true],
    ['http://localhost', true],
    ['https://[::1]:1', true],
    ['https://evil.example', false],
    ['http://localhost.evil.example', false],
    ['http://127.0.0.1@evil.example', false],
    ['null', false],
    ['chrome-extension://abc', false],
  ])('Origin %s: %s', (origin, expected) => {
    expect(isLoopbackOrigin(origin)).toBe(expected);
  });

  it.each([
    ['Bearer right-token', true],
    ['bearer right-token', true],
    ['Bearer wrong-token', false],
    ['Bearer right-token2', false],
    ['Bearer right', false],
    ['Basic right-token', false],
    ['right-token', false],
    ['', false],
    [undefined, false],
  ])('Authorization %s: %s', (header, expected) => {
    expect(isBearer(header, Buffer.from('right-token'))).toBe(expected);
  });
});
