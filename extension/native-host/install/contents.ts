/** The bytes of every file that an installation consists of. Pure. */
import { NATIVE_HOST_NAME } from '../../../contract/extension/identity.ts';
import type { nativePaths, Registration } from '../registration.ts';
import type { Browser } from './browsers.ts';

export interface Wanted {
  path: string;
  mode: number;
  content: Uint8Array;
}

/** Stands in the wrapper; a wrapper without it is not ours. */
export const WRAPPER_MARK = '# herdr-mcp native host';

export interface Installation {
  paths: ReturnType<typeof nativePaths>;
  browsers: readonly Browser[];
  origin: string;
  socket: string;
  /** The Node that installs: the one that is known to work. */
  node: string;
  /** The bundled host. */
  program: Uint8Array;
}

/** What has to be on the disk, in the order in which it is written: a browser's manifest only when all else is there. */
export function wantedFiles(installation: Installation): Wanted[] {
  const { paths, browsers, origin, socket, node, program } = installation;
  const registration: Registration = { version: 1, origin, socket };
  return [
    { path: paths.program, mode: 0o600, content: program },
    { path: paths.wrapper, mode: 0o700, content: text(wrapper(node, paths.program, paths.registration)) },
    { path: paths.registration, mode: 0o600, content: text(json(registration)) },
    ...browsers.map(({ manifest }) => ({
      path: manifest,
      mode: 0o600,
      content: text(json(browserManifest(paths.wrapper, origin))),
    })),
  ];
}

export function browserManifest(wrapper: string, origin: string) {
  return {
    name: NATIVE_HOST_NAME,
    description: 'Herdr MCP: connects the extension with the runtime on this workstation',
    path: wrapper,
    type: 'stdio',
    allowed_origins: [origin],
  };
}

/** A browser starts it with a bare environment, so Node is named; when that one is gone, whatever `node` is found. */
function wrapper(node: string, program: string, registration: string): string {
  return [
    '#!/bin/sh',
    `${WRAPPER_MARK}: written by herdr-mcp native-host install`,
    `node=${quoted(node)}`,
    '[ -x "$node" ] || node=node',
    `exec "$node" ${quoted(program)} --registration ${quoted(registration)} "$@"`,
    '',
  ].join('\n');
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
const text = (content: string): Uint8Array => Buffer.from(content);
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
