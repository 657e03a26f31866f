/**
 * `config.json`: what a person sets. Unknown keys are refused, so that a typing error is told instead of ignored.
 * What the programs find out or decide themselves stands in files of their own, never here. The one secret in it are the
 * keys of `semantic.routes`, which is why a file that others can read is refused; {@link redacted} shows it without them.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { SemanticRoutes } from '../../contract/semantic/index.ts';
import { LocalError } from '../error/index.ts';
import { readPrivateFile, readPrivateFileNow, writeAtomic } from '../files/index.ts';
import { CONFIG_BYTES_MAX } from '../limits.ts';

export { protectedFolders } from './protected.ts';

const Closed = { additionalProperties: false };
const Port = Type.Integer({ minimum: 1, maximum: 65535 });
const Folder = Type.String({ pattern: '^/', description: 'an absolute path' });
const Origin = Type.String({ pattern: '^https?://[^/?#\\s]+$', description: 'an http(s) origin without a path' });

export const Config = Type.Object(
  {
    runtime: Type.Optional(
      Type.Object(
        {
          /** Loopback port of generation A; 8772 when absent. */
          port: Type.Optional(Port),
          /** Loopback port of generation B; 8773 when absent. */
          candidate_port: Type.Optional(Port),
        },
        Closed,
      ),
    ),
    edge: Type.Optional(
      Type.Object(
        {
          /** The address that was given to web AIs. */
          public_origin: Type.Optional(Origin),
          /** Where the link connects when that is another address. */
          link_upstream_origin: Type.Optional(Origin),
        },
        Closed,
      ),
    ),
    policy: Type.Optional(
      Type.Object(
        {
          /** Nothing may be changed or run and no agent prompted. */
          read_only: Type.Optional(Type.Boolean()),
          /** Folders inside which files may be changed and commands run; every root when absent, none when empty. */
          write_roots: Type.Optional(Type.Array(Folder)),
          /** Folders that only the folder broker reads, beside those that the system guards. */
          protected_folders: Type.Optional(Type.Array(Folder)),
        },
        Closed,
      ),
    ),
    semantic: Type.Optional(
      Type.Object(
        {
          /** Providers of this machine alone, in order of priority; they come before the edge's pool. */
          routes: Type.Optional(SemanticRoutes),
        },
        Closed,
      ),
    ),
    log: Type.Optional(
      Type.Object(
        {
          level: Type.Optional(
            Type.Union([Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')]),
          ),
        },
        Closed,
      ),
    ),
  },
  Closed,
);
export type Config = Static<typeof Config>;

/** The configuration, empty when there is no file. Throws a sentence that names the file and the first thing wrong. */
export async function readConfig(file: string): Promise<Config> {
  return parsedConfig(file, await readPrivateFile(file));
}

/** The same without giving way: see {@link readPrivateFileNow}. */
export const readConfigNow = (file: string): Config => parsedConfig(file, readPrivateFileNow(file));

function parsedConfig(file: string, bytes: Buffer | undefined): Config {
  if (!bytes) return {};
  if (bytes.length > CONFIG_BYTES_MAX) throw broken(file, `is longer than ${CONFIG_BYTES_MAX} bytes`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw broken(file, 'is no JSON', error);
  }
  if (Value.Check(Config, parsed)) return parsed;
  throw broken(file, firstTrouble(parsed));
}

/** Writes the whole configuration, atomically. Refuses what {@link readConfig} would refuse. */
export async function saveConfig(file: string, config: Config): Promise<void> {
  if (!Value.Check(Config, config)) throw broken(file, firstTrouble(config));
  await writeAtomic(file, `${JSON.stringify(config, null, 2)}\n`);
}

/** The configuration as it may be shown: the keys of providers are replaced. */
export function redacted(config: Config): Config {
  const routes = config.semantic?.routes;
  if (!routes) return config;
  return { ...config, semantic: { routes: routes.map((route) => ({ ...route, api_key: '(kept secret)' })) } };
}

function firstTrouble(value: unknown): string {
  const [first] = Value.Errors(Config, value);
  if (!first) return 'does not fit';
  const where = first.instancePath.slice(1).replaceAll('/', '.');
  if (first.keyword === 'boolean') return `has an unknown key "${where}"`;
  return `is wrong${where ? ` at "${where}"` : ''}: ${first.message}`;
}

function broken(file: string, trouble: string, cause?: unknown): LocalError {
  return new LocalError(
    'config_broken',
    `${file} ${trouble}.`,
    'Correct it or remove it; nothing was started or changed.',
    cause,
  );
}
