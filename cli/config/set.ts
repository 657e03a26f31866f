/** Which settings a person changes with `config set`, and what their words mean. Pure. */
import { isAbsolute, resolve } from 'node:path';
import type { Config } from '../../local/config/index.ts';
import { UsageError } from '../exit.ts';

export const SETTINGS = ['read-only', 'write-roots', 'default-device'] as const;

/** The setting that the edge keeps, for all workstations. */
export const OF_THE_EDGE = 'default-device';

/** The configuration with one setting changed; `from` is the folder that relative paths start at. */
export function withSetting(config: Config, setting: string, value: string, from: string): Config {
  switch (setting) {
    case 'read-only':
      return withPolicy(config, 'read_only', onOrOff(value) ? true : undefined);
    case 'write-roots':
      return withPolicy(config, 'write_roots', folders(value, from));
    default:
      throw new UsageError(`There is no setting "${setting}". The settings are: ${SETTINGS.join(', ')}.`);
  }
}

function onOrOff(value: string): boolean {
  if (value === 'on' || value === 'off') return value === 'on';
  throw new UsageError('read-only is "on" or "off".');
}

/** `all` is every root, `none` no root, else folders. */
function folders(value: string, from: string): string[] | undefined {
  if (value === 'all') return undefined;
  if (value === 'none') return [];
  const named = value.split(',').map((folder) => folder.trim());
  if (named.some((folder) => folder === ''))
    throw new UsageError('write-roots is "all", "none", or folders with commas.');
  return named.map((folder) => (isAbsolute(folder) ? resolve(folder) : resolve(from, folder)));
}

function withPolicy(config: Config, key: 'read_only' | 'write_roots', value: boolean | string[] | undefined): Config {
  const { [key]: _, ...others } = config.policy ?? {};
  const policy = { ...others, ...(value === undefined ? {} : { [key]: value }) };
  const { policy: __, ...rest } = config;
  return Object.keys(policy).length === 0 ? rest : { ...rest, policy };
}
