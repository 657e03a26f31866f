/** `herdr-mcp native-host …`: what lets the browser extension reach this workstation's runtime. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  installNativeHost,
  type NativeHostStatus,
  nativeHostStatus,
  rollbackNativeHost,
  uninstallNativeHost,
} from '../../extension/native-host/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import { action, group } from '../command.ts';
import { note, say, sayJson, table } from '../terminal/index.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;
const profile = {
  type: 'string',
  description: 'Also a browser that was started with this --user-data-dir',
} as const;

function place(profileDir: string | undefined) {
  return {
    platform: process.platform,
    home: process.env['HOME'] || homedir(),
    env: process.env,
    stateDir: resolveStateDir(process.env),
    userDataDirs: profileDir === undefined ? [] : [resolve(profileDir)],
    now: () => new Date(),
  };
}

function show(status: NativeHostStatus, asJson: boolean | undefined): void {
  if (asJson) {
    sayJson({ ok: true, ...status });
    return;
  }
  say(
    status.installed
      ? `Installed for ${status.origin}${status.own ? '' : ' (another build than the one that ships with this version)'}.`
      : 'Not installed. Install it: herdr-mcp native-host install',
  );
  const rows = status.browsers.map(({ name, state, manifest }) => [name, state, manifest]);
  table([['BROWSER', 'STATE', 'FILE'], ...rows]).forEach(say);
  if (status.can_roll_back) note('The last change can be taken back: herdr-mcp native-host rollback');
}

const install = action(
  'install',
  'Register the native host for exactly one extension; all or nothing',
  {
    extension: { type: 'string', description: 'Another build: its id from chrome://extensions' },
    profile,
    json,
  },
  async (args) => {
    const status = await installNativeHost({
      ...place(args.profile),
      program: fileURLToPath(new URL('./herdr-native-host.main.js', import.meta.url)),
      node: process.execPath,
      ...(args.extension === undefined ? {} : { extensionId: args.extension }),
    });
    show(status, args.json);
  },
);

const status = action('status', 'What is registered, and where', { profile, json }, (args) =>
  show(nativeHostStatus(place(args.profile)), args.json),
);

const uninstall = action(
  'uninstall',
  'Remove what was registered; files of others stay',
  { profile, json },
  async (args) => show(await uninstallNativeHost(place(args.profile)), args.json),
);

const rollback = action(
  'rollback',
  'Put back what was there before the last install or uninstall',
  { profile, json },
  async (args) => show(await rollbackNativeHost(place(args.profile)), args.json),
);

/** `herdr-mcp native-host …` */
export const nativeHost = group('native-host', 'The browser extension’s way to this workstation', {
  install,
  status,
  uninstall,
  rollback,
});
