/** The command line of `npm start`. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parsePairingAddress } from '../../link/identity/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { edgeOrigin, samePairingEdge } from './deployed.ts';

export const USAGE = `Usage: npm start -- [<repository>] [--port <number>]
       npm start -- [<repository>] --edge <https://…> [--pair <https://…/pair#…>]

Runs herdr-mcp in the foreground, with a workspace on a Git repository (the current one). Ctrl-C ends all of it.

  --port <number>   port of the edge on this machine; else the one of before, the first time 8787 or the next free one
  --edge <address>  use this deployed edge and start none here (or HERDR_MCP_EDGE). The first time it asks for the
                    operator secret, or the address and code of "herdr-mcp worker pair"; a program writes them on stdin
  --pair <address>  pair with this address of a paired workstation; asks for its six-digit code only

HERDR_MCP_STATE_DIR names another state folder than .herdr-mcp in the clone; one folder belongs to one edge.`;

export interface Asked {
  help: boolean;
  folder: string;
  port?: number;
  /** Origin of a deployed edge. */
  edge?: string;
  /** A pairing address of that edge. */
  pair?: string;
}

/** What a command line asks for. Throws a {@link LocalError} for what it cannot mean. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Asked {
  const { values, positionals } = parsed(args);
  if (positionals.length > 1) throw wrong(`"${positionals[1]}" is one word too many`);
  const folder = resolve(cwd, positionals[0] ?? '.');
  if (values.help) return { help: true, folder };
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65_535)) {
    throw wrong(`--port ${values.port} is no port`);
  }
  const named = values.edge ?? (env['HERDR_MCP_EDGE'] || undefined);
  const address = named ?? (values.pair === undefined ? undefined : parsePairingAddress(values.pair)?.origin);
  if (values.pair !== undefined && address === undefined) samePairingEdge(values.pair, '');
  if (address === undefined) return { help: false, folder, ...(port === undefined ? {} : { port }) };
  if (port !== undefined) throw wrong('--port is for the edge on this machine, and --edge starts none here');
  const edge = edgeOrigin(address);
  if (values.pair === undefined) return { help: false, folder, edge };
  samePairingEdge(values.pair, edge);
  return { help: false, folder, edge, pair: values.pair };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { port: text, edge: text, pair: text, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    if (error instanceof TypeError) throw wrong(error.message.replace(/\.$/, ''), error);
    throw error;
  }
}

const wrong = (why: string, cause?: unknown) =>
  new LocalError('usage', `${why}. Nothing was started.`, 'See: npm start -- --help', cause);
