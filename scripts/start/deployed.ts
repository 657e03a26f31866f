/**
 * An edge that somebody deployed, instead of one on this machine: which address is meant, whether an edge is there that
 * knows itself by it, and pairing this clone with it. All of it happens before any process is started.
 */
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { type Device, pair, pairFirst, parsePairingAddress, readDevice } from '../../link/identity/index.ts';
import { bareHost, type EdgeAnswer, type Environment, isLoopback, requestEdge } from '../../link/network/index.ts';
import { LocalError } from '../../local/error/index.ts';

/** What opens the door of an edge, once: the operator's secret for its first workstation, else what a paired one shows. */
export type Credential = { operatorSecret: string } | { address: string; code: string };

export interface DeployedEdge {
  origin: string;
  /** Asked only when this clone is not paired yet. Throws a {@link LocalError} when nobody gives one. */
  credential: () => Promise<Credential>;
}

const NOTHING = 'Nothing was started.';

/** The origin that a person means by an edge's address; its `/mcp` is taken for it too. Throws a {@link LocalError}. */
export function edgeOrigin(address: string): string {
  const url = URL.parse(address.trim());
  if (url?.protocol === 'http:' && !isLoopback(bareHost(url))) {
    throw new LocalError(
      'edge_origin_insecure',
      `${url.origin} would send this workstation’s secrets over the network in plain text. ${NOTHING}`,
      'Use its https:// address; plain http works for this machine only.',
    );
  }
  const isPlain = url !== null && /^\/(mcp\/?)?$/.test(url.pathname) && url.search === '' && url.hash === '';
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isPlain && isWeb && url.username === '' && url.password === '') return url.origin;
  throw new LocalError(
    'edge_origin_invalid',
    `"${address}" is no address of an edge. ${NOTHING}`,
    'Write https:// and its host, as in https://herdr-mcp.example.workers.dev.',
  );
}

/**
 * The device of this state folder at that edge, paired now when it is not yet. Throws a {@link LocalError} of one
 * sentence when the folder belongs to another edge, when no edge is there, or when the edge refuses; nothing that exists
 * is changed then.
 */
export async function joinDeployed(stateDir: string, edge: DeployedEdge, environment: Environment): Promise<Device> {
  const device = await readDevice(stateDir);
  if (device && device.edge_origin !== edge.origin) {
    throw new LocalError(
      'paired_elsewhere',
      `${stateDir} is paired with ${device.edge_origin} as ${device.name}, not with ${edge.origin}; nothing was started or changed.`,
      'Give this edge a state folder of its own: HERDR_MCP_STATE_DIR=<another folder> npm start -- --edge …',
    );
  }
  await requireEdge(edge.origin, environment);
  if (device) return device;
  const credential = await edge.credential();
  return 'operatorSecret' in credential
    ? pairFirst(edge.origin, credential.operatorSecret, { stateDir, environment })
    : pair(credential.address, credential.code, { stateDir, environment });
}

/** What a person typed for a secret: a pairing address leads to its code, anything else is the operator's secret. */
export function readSecret(text: string, origin: string): { operatorSecret: string } | { address: string } {
  if (text.includes('/pair#')) {
    samePairingEdge(text, origin);
    return { address: text };
  }
  if (/^[\w+/=~-]{1,256}$/.test(text)) return { operatorSecret: text };
  throw new LocalError(
    'operator_secret_invalid',
    `This is neither an operator secret nor a pairing address. ${NOTHING}`,
    'Paste the line that was printed when OPERATOR_SECRET was set, or what `herdr-mcp worker pair` shows.',
  );
}

/** Throws unless a pairing address is one of that edge. */
export function samePairingEdge(address: string, origin: string): void {
  const parsed = parsePairingAddress(address);
  if (parsed?.origin === origin) return;
  throw new LocalError(
    'pairing_address_invalid',
    parsed
      ? `This pairing address is of ${parsed.origin}, not of ${origin}. ${NOTHING}`
      : `This is no pairing address. ${NOTHING}`,
    'Copy the whole address, https://…/pair#pair_…, that `herdr-mcp worker pair` shows on a paired workstation.',
  );
}

const Info = Type.Object({ service: Type.Literal('herdr-mcp-edge'), origins: Type.Array(Type.String()) });

/** Throws unless an edge answers there and counts this address among its own; a secret goes to no other. */
async function requireEdge(origin: string, environment: Environment): Promise<void> {
  let answer: EdgeAnswer;
  try {
    answer = await requestEdge({ method: 'GET', url: new URL('/info', origin), environment });
  } catch (error) {
    throw new LocalError(
      'edge_unreachable',
      `The edge at ${origin} cannot be reached (${error instanceof Error ? error.message : String(error)}); nothing was started.`,
      'Check the address, the network, and HTTPS_PROXY and NO_PROXY if there is a proxy; then try again.',
      error,
    );
  }
  if (!Value.Check(Info, answer.body)) {
    throw new LocalError(
      'not_an_edge',
      `What answers at ${origin} (status ${answer.status}) is no edge of herdr-mcp. ${NOTHING}`,
      'Check the address; `npx wrangler deploy` prints it.',
    );
  }
  if (answer.body.origins.some((own) => URL.parse(own)?.origin === origin)) return;
  throw new LocalError(
    'edge_origin_differs',
    `The edge at ${origin} was deployed for ${answer.body.origins.join(', ')}, so a sign-in there would fail. ${NOTHING}`,
    `Deploy it again with --var ORIGINS:${origin}`,
  );
}
