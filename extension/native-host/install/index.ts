/** Registers the native host with the browsers of this user, looks at it, removes it, and takes the last change back. */
import { existsSync, readFileSync } from 'node:fs';
import { EXTENSION_ID, extensionOrigin } from '../../../contract/extension/identity.ts';
import { LocalError } from '../../../local/error/index.ts';
import { assertSocketPath, statePaths } from '../../../local/paths/index.ts';
import { EXTENSION_ORIGIN, nativePaths, readRegistration } from '../registration.ts';
import { type Browser, browsersToRegister, knownBrowsers, type Place } from './browsers.ts';
import { browserManifest, wantedFiles } from './contents.ts';
import { assertOurs, manifestPath } from './ours.ts';
import { probeHost } from './probe.ts';
import { change, exclusively, takeBack } from './transaction.ts';

export interface InstallOptions extends Place {
  stateDir: string;
  /** The bundled host, `dist/herdr-native-host.main.js`. */
  program: string;
  node: string;
  /** Another build's id than our own; its origin is then the only one. */
  extensionId?: string;
  /** Further folders of profiles, as given to a browser by `--user-data-dir`. */
  userDataDirs?: readonly string[];
  now: () => Date;
}

export interface NativeHostStatus {
  installed: boolean;
  origin: string | null;
  /** Whether this is the extension that ships with this version. */
  own: boolean;
  browsers: { name: string; manifest: string; state: 'registered' | 'absent' | 'foreign' | 'outdated' }[];
  can_roll_back: boolean;
}

/** Installs or repairs; with another id, the right moves to that build. All or nothing. Throws a `LocalError`. */
export async function installNativeHost(options: InstallOptions): Promise<NativeHostStatus> {
  assertSupported(options.platform);
  const paths = nativePaths(options.stateDir);
  const origin = extensionOrigin(options.extensionId ?? EXTENSION_ID);
  if (!EXTENSION_ORIGIN.test(origin)) {
    throw new LocalError(
      'extension_id_invalid',
      'An extension id is 32 letters from a to p; nothing was changed.',
      'Copy it from chrome://extensions.',
    );
  }
  if (!existsSync(options.program)) {
    throw new LocalError(
      'native_host_program_missing',
      `${options.program} is missing; nothing was changed.`,
      'Run npm run build.',
    );
  }
  return exclusively(paths, async () => {
    const browsers = browsersToRegister(options, options.userDataDirs);
    const write = wantedFiles({
      paths,
      browsers,
      origin,
      socket: assertSocketPath(statePaths(options.stateDir).extensionSocket),
      node: options.node,
      program: readFileSync(options.program),
    });
    assertOurs(
      paths,
      write.map(({ path }) => path),
    );
    const check = () => probeHost(paths.wrapper, origin);
    await change(paths, { what: 'install', write, remove: [], check }, options.now());
    return nativeHostStatus(options);
  });
}

/** Removes what is ours and leaves what is not. Doing it twice is no error. */
export async function uninstallNativeHost(
  options: Omit<InstallOptions, 'program' | 'node'>,
): Promise<NativeHostStatus> {
  assertSupported(options.platform);
  const paths = nativePaths(options.stateDir);
  return exclusively(paths, async () => {
    const manifests = allBrowsers(options)
      .map(({ manifest }) => manifest)
      .filter((file) => existsSync(file) && manifestPath(file) === paths.wrapper);
    const remove = [...manifests, paths.registration, paths.wrapper, paths.program].filter((file) => existsSync(file));
    assertOurs(paths, remove);
    if (remove.length > 0) await change(paths, { what: 'uninstall', write: [], remove }, options.now());
    return nativeHostStatus(options);
  });
}

/** Puts back what was there before the last install or uninstall. */
export async function rollbackNativeHost(options: Omit<InstallOptions, 'program' | 'node'>): Promise<NativeHostStatus> {
  const paths = nativePaths(options.stateDir);
  return exclusively(paths, async () => {
    await takeBack(paths);
    return nativeHostStatus(options);
  });
}

/** What is registered now. Changes nothing. */
export function nativeHostStatus(
  options: Place & { stateDir: string; userDataDirs?: readonly string[] },
): NativeHostStatus {
  const paths = nativePaths(options.stateDir);
  const registration = readRegistration(paths.registration);
  const origin = registration?.origin ?? null;
  return {
    installed: registration !== null && existsSync(paths.wrapper) && existsSync(paths.program),
    origin,
    own: origin === extensionOrigin(EXTENSION_ID),
    browsers: allBrowsers(options).map(({ name, manifest }) => ({
      name,
      manifest,
      state: stateOf(manifest, paths.wrapper, origin),
    })),
    can_roll_back: existsSync(paths.rollback),
  };
}

function stateOf(manifest: string, wrapper: string, origin: string | null) {
  if (!existsSync(manifest)) return 'absent';
  if (manifestPath(manifest) !== wrapper) return 'foreign';
  const same = origin !== null && readFileSync(manifest, 'utf8').trim() === json(browserManifest(wrapper, origin));
  return same ? 'registered' : 'outdated';
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

function allBrowsers(options: Place & { userDataDirs?: readonly string[] }): Browser[] {
  const known = knownBrowsers(options);
  const extra = browsersToRegister(options, options.userDataDirs).filter(({ manifest }) =>
    known.every((browser) => browser.manifest !== manifest),
  );
  return [...known, ...extra];
}

function assertSupported(platform: NodeJS.Platform): void {
  if (platform === 'linux' || platform === 'darwin') return;
  throw new LocalError('platform_unsupported', 'The native host runs on Linux and macOS.', 'On Windows use WSL.');
}
