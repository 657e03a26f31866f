import { describe, expect, it } from 'vitest';
import { herdrSocketPath, isSessionName, serverOf } from '../../../runtime-a-b/herdr/index.ts';
import { verifies } from '../../verifies.ts';

const place = { homeDir: '/home/kim', tempDir: '/tmp' };

describe('where the socket is', () => {
  it.each<[Record<string, string>, string | undefined, string]>([
    [{}, undefined, '/home/kim/.config/herdr/herdr.sock'],
    [{ XDG_CONFIG_HOME: '/x' }, undefined, '/x/herdr/herdr.sock'],
    [{ HERDR_SESSION: 'work' }, undefined, '/home/kim/.config/herdr/sessions/work/herdr.sock'],
    [{ HERDR_SESSION: 'default' }, undefined, '/home/kim/.config/herdr/herdr.sock'],
    [{ HERDR_SESSION: '../evil' }, undefined, '/home/kim/.config/herdr/herdr.sock'],
    [{ HERDR_SESSION: 'work', HERDR_SOCKET_PATH: '/s/own.sock' }, undefined, '/s/own.sock'],
    [{ HERDR_SOCKET_PATH: '/s/own.sock' }, '/given.sock', '/given.sock'],
    [{ HERDR_SOCKET_PATH: '' }, '', '/home/kim/.config/herdr/herdr.sock'],
  ])('%j and %j give %s', (env, explicitPath, expected) => {
    expect(herdrSocketPath({ ...place, env, ...(explicitPath === undefined ? {} : { explicitPath }) })).toBe(expected);
  });

  it('falls back to the temporary folder without a home', () => {
    expect(herdrSocketPath({ env: {}, homeDir: undefined, tempDir: '/tmp' })).toBe('/tmp/herdr/herdr.sock');
  });

  it.each([
    ['a', true],
    ['A.b_c-1', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['', false],
    ['.', false],
    ['..', false],
    ['a/b', false],
  ])('%j is a session name: %s', (name, expected) => {
    expect(isSessionName(name)).toBe(expected);
  });
});

describe('who answers there', () => {
  it.each([
    [{ version: '0.9.7', protocol: 22 }, 'full'],
    [{ version: '0.9.7', protocol: 27 }, 'full'],
    [{ version: '0.9.7-preview.20260930', protocol: 22 }, 'full'],
    [{ version: '0.7.5', protocol: 17 }, 'full'],
    [{ version: '0.7.4', protocol: 16 }, 'read_only'],
    [{ version: '0.7.2', protocol: 16 }, 'read_only'],
    [{ version: '0.7.1', protocol: 15 }, 'too_old'],
    [{ version: '0.6.9', protocol: 13 }, 'too_old'],
  ])('%j is %s: a floor, not equality', (pong, support) => {
    verifies('herdr.versions');
    expect(serverOf(pong, '/s').support).toBe(support);
  });

  it('keys a real server by its socket and the embedded one by name, so that two w1 stay two', () => {
    const real = serverOf({ version: '0.8.0', protocol: 19 }, '/a.sock');
    expect(real).toMatchObject({ embedded: false, key: expect.stringMatching(/^h[0-9a-f]{12}$/) });
    expect(serverOf({ version: '0.8.0', protocol: 19 }, '/b.sock').key).not.toBe(real.key);
    expect(serverOf({ version: '0.8.0-embedded.1', protocol: 19 }, '/a.sock').key).toBe('embedded');
  });
});
