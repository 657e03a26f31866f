import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXTENSION_ID, EXTENSION_KEY, extensionOrigin } from '../../../contract/extension/identity.ts';
import {
  installNativeHost,
  nativeHostStatus,
  rollbackNativeHost,
  uninstallNativeHost,
} from '../../../extension/native-host/index.ts';
import { knownBrowsers } from '../../../extension/native-host/install/browsers.ts';
import { change, exclusively } from '../../../extension/native-host/install/transaction.ts';
import { nativePaths } from '../../../extension/native-host/registration.ts';
import { verifies } from '../../verifies.ts';
import { place } from './port.ts';

let here: ReturnType<typeof place>;
beforeEach(() => {
  here = place();
});
afterEach(() => here.remove());

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
const states = () =>
  Object.fromEntries(nativeHostStatus(here.options).browsers.map(({ name, state }) => [name, state]));

describe('the native host’s registration', () => {
  it('is for Chrome always, for the others where they are used, with one origin and private files', async () => {
    verifies('extension.native-host');
    mkdirSync(join(here.options.home, '.config', 'chromium'), { recursive: true });
    const status = await installNativeHost(here.options);
    expect(status).toMatchObject({ installed: true, own: true });
    expect(states()).toEqual({ chrome: 'registered', chromium: 'registered', 'chrome-for-testing': 'absent' });
    const manifest = here.manifest('chromium');
    expect(read(manifest)).toMatchObject({
      name: 'dev.herdr.mcp',
      type: 'stdio',
      path: here.wrapper,
      allowed_origins: [extensionOrigin(EXTENSION_ID)],
    });
    expect(statSync(manifest).mode & 0o777).toBe(0o600);
    expect(statSync(here.wrapper).mode & 0o777).toBe(0o700);
  });

  it('finds each browser’s own folder on Linux and macOS', () => {
    const paths = (platform: NodeJS.Platform, env = {}) =>
      knownBrowsers({ platform, home: '/h', env }).map(({ manifest }) => dirname(manifest));
    expect(paths('linux')).toEqual([
      '/h/.config/google-chrome/NativeMessagingHosts',
      '/h/.config/chromium/NativeMessagingHosts',
      '/h/.config/google-chrome-for-testing/NativeMessagingHosts',
    ]);
    expect(paths('linux', { XDG_CONFIG_HOME: '/x' })[0]).toBe('/x/google-chrome/NativeMessagingHosts');
    expect(paths('darwin')).toEqual([
      '/h/Library/Application Support/Google/Chrome/NativeMessagingHosts',
      '/h/Library/Application Support/Chromium/NativeMessagingHosts',
      '/h/Library/Application Support/Google/ChromeForTesting/NativeMessagingHosts',
    ]);
    expect(paths('win32')).toEqual([]);
  });

  it('moves to another build as a whole, and comes back with rollback', async () => {
    verifies('extension.native-host');
    await installNativeHost(here.options);
    const other = extensionOrigin('b'.repeat(32));
    expect(await installNativeHost({ ...here.options, extensionId: 'b'.repeat(32) })).toMatchObject({ origin: other });
    expect(read(here.manifest('google-chrome'))['allowed_origins']).toEqual([other]);
    expect(await rollbackNativeHost(here.options)).toMatchObject({ own: true, can_roll_back: false });
    await expect(rollbackNativeHost(here.options)).rejects.toMatchObject({ code: 'native_host_no_rollback' });
    await uninstallNativeHost(here.options);
    expect(existsSync(here.manifest('google-chrome'))).toBe(false);
    expect(await uninstallNativeHost(here.options)).toMatchObject({ installed: false });
    expect(await rollbackNativeHost(here.options)).toMatchObject({ installed: true, own: true });
  });

  it('leaves a file of others where it is, and then installs nothing', async () => {
    verifies('extension.native-host');
    const manifest = here.manifest('google-chrome');
    mkdirSync(dirname(manifest), { recursive: true });
    writeFileSync(manifest, '{"path":"/somebody/else"}');
    await expect(installNativeHost(here.options)).rejects.toMatchObject({ code: 'native_host_foreign_file' });
    expect(readFileSync(manifest, 'utf8')).toBe('{"path":"/somebody/else"}');
    expect(nativeHostStatus(here.options)).toMatchObject({ installed: false, origin: null });
    await uninstallNativeHost(here.options);
    expect(existsSync(manifest)).toBe(true);
  });

  it('does not follow a symlink', async () => {
    const target = join(here.options.home, 'target');
    writeFileSync(target, 'theirs');
    mkdirSync(dirname(here.manifest('google-chrome')), { recursive: true });
    symlinkSync(target, here.manifest('google-chrome'));
    await expect(installNativeHost(here.options)).rejects.toMatchObject({ code: 'native_host_foreign_file' });
    expect(readFileSync(target, 'utf8')).toBe('theirs');
  });

  it('puts everything back when the host does not start', async () => {
    verifies('extension.native-host');
    await installNativeHost(here.options);
    const before = readFileSync(join(here.options.stateDir, 'native', 'herdr-native-host.mjs'), 'utf8');
    const broken = join(here.options.home, 'broken.mjs');
    writeFileSync(broken, 'process.exit(3);');
    await expect(installNativeHost({ ...here.options, program: broken })).rejects.toMatchObject({
      code: 'native_host_check_failed',
    });
    expect(readFileSync(join(here.options.stateDir, 'native', 'herdr-native-host.mjs'), 'utf8')).toBe(before);
    expect(nativeHostStatus(here.options)).toMatchObject({ installed: true, own: true });
  });

  it('settles what a killed install left behind', async () => {
    verifies('extension.native-host');
    await installNativeHost(here.options);
    const paths = nativePaths(here.options.stateDir);
    const killed = change(
      paths,
      {
        what: 'install',
        write: [{ path: paths.registration, mode: 0o600, content: Buffer.from('half') }],
        remove: [paths.wrapper],
        check: () => new Promise(() => undefined), // the process dies here
      },
      new Date(1_764_500_001_000),
    );
    await Promise.race([killed, new Promise((resolve) => setImmediate(resolve))]);
    while (existsSync(paths.wrapper)) await new Promise((resolve) => setImmediate(resolve));
    await exclusively(paths, async () => undefined);
    expect(nativeHostStatus(here.options)).toMatchObject({ installed: true, own: true });
    expect(existsSync(paths.pending)).toBe(false);
  });

  it('has an id that is made of the key', async () => {
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(EXTENSION_KEY, 'base64'));
    const letters = [...Buffer.from(digest).subarray(0, 16).toString('hex')].map((nibble) =>
      String.fromCharCode('a'.charCodeAt(0) + Number.parseInt(nibble, 16)),
    );
    expect(letters.join('')).toBe(EXTENSION_ID);
  });
});
