/** `herdr-mcp config …`: where the configuration is, what it says, and changing it. Keys of providers are not shown. */
import { readConfig, redacted, saveConfig } from '../../local/config/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { action, group } from '../command.ts';
import { say, sayText } from '../terminal/index.ts';
import { setDefaultDevice } from './default-device.ts';
import { OF_THE_EDGE, SETTINGS, withSetting } from './set.ts';

const fileOf = () => statePaths(resolveStateDir(process.env)).config;

const path = action('path', 'The file’s path', {}, () => say(fileOf()));

const show = action('show', 'What it says; {} when there is none', {}, async () => {
  sayText(JSON.stringify(redacted(await readConfig(fileOf())), null, 2));
});

const set = action(
  'set',
  'Change one setting; a running runtime obeys with its next call, the edge within seconds',
  {
    setting: { type: 'positional', required: true, description: SETTINGS.join(', ') },
    value: {
      type: 'positional',
      required: true,
      description: 'on or off; all, none, or folders with commas; a device’s id or name, or none',
    },
  },
  async ({ setting, value }) => {
    if (setting === OF_THE_EDGE) return setDefaultDevice(value);
    ensurePrivateDir(resolveStateDir(process.env));
    const next = withSetting(await readConfig(fileOf()), setting, value, process.cwd());
    await saveConfig(fileOf(), next);
    say(`${setting} is ${value}. A running runtime obeys with its next call.`);
  },
);

export const config = group('config', 'The configuration', { path, show, set });
