/** `herdr-mcp config …`: where the configuration is and what it says. Keys of providers are not shown. */
import { readConfig, redacted } from '../../local/config/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { action, group } from '../command.ts';
import { say } from '../terminal/index.ts';

const path = action('path', 'The file’s path', {}, () => say(statePaths(resolveStateDir(process.env)).config));

const show = action('show', 'What it says; {} when there is none', {}, async () => {
  say(JSON.stringify(redacted(await readConfig(statePaths(resolveStateDir(process.env)).config)), null, 2));
});

export const config = group('config', 'The configuration', { path, show });
