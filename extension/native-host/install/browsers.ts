/** Where the browsers look for native hosts. Pure, but for looking which folders exist. */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { NATIVE_HOST_NAME } from '../../../contract/extension/identity.ts';

export interface Browser {
  name: string;
  /** Its folder of profiles. */
  userData: string;
  /** The file that names our host to it. */
  manifest: string;
}

export interface Place {
  platform: NodeJS.Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

const FOLDERS = {
  linux: {
    chrome: 'google-chrome',
    chromium: 'chromium',
    'chrome-for-testing': 'google-chrome-for-testing',
  },
  darwin: {
    chrome: 'Google/Chrome',
    chromium: 'Chromium',
    'chrome-for-testing': 'Google/ChromeForTesting',
  },
} as const;

/** Every browser that we know on this system; none on a system without. */
export function knownBrowsers({ platform, home, env }: Place): Browser[] {
  if (platform !== 'linux' && platform !== 'darwin') return [];
  const base = platform === 'darwin' ? join(home, 'Library', 'Application Support') : configHome(home, env);
  return Object.entries(FOLDERS[platform]).map(([name, folder]) => browserAt(name, join(base, folder)));
}

/** Chrome always, so that it finds the host when it is installed later; the others where they have been used. */
export function browsersToRegister(place: Place, extra: readonly string[] = []): Browser[] {
  const known = knownBrowsers(place).filter(({ name, userData }) => name === 'chrome' || existsSync(userData));
  const added = extra.filter((folder) => known.every(({ userData }) => userData !== folder));
  return [...known, ...added.map((folder) => browserAt(`folder ${folder}`, folder))];
}

function browserAt(name: string, userData: string): Browser {
  return { name, userData, manifest: join(userData, 'NativeMessagingHosts', `${NATIVE_HOST_NAME}.json`) };
}

/** A relative `XDG_CONFIG_HOME` counts as none, as its specification asks. */
function configHome(home: string, env: Place['env']): string {
  const xdg = env['XDG_CONFIG_HOME'];
  return xdg && isAbsolute(xdg) ? xdg : join(home, '.config');
}
