/** Drives the public plane as its users do: an MCP client, a browser, a paired workstation. Nothing reaches inside. */
import { exports } from 'cloudflare:workers';
import {
  type Connector,
  type DeviceClaims,
  deviceClaims,
  deviceTokenInput,
  type PendingRequest,
} from '../../../contract/fleet/index.ts';
import { step } from '../evictions.ts';

export const ORIGIN = 'https://edge.test';
export const OLD_ORIGIN = 'https://old.edge.test';
export const REDIRECT = 'https://app.host.dev/callback';

/** The Worker under test; its type is known only to a generated declaration that we do not keep. */
const worker = (exports as unknown as { default: Fetcher }).default;

/** One request to the Worker. Redirects are never followed. `address` is the caller's network address. */
export async function ask(
  path: string,
  init: RequestInit & { address?: string; origin?: string } = {},
): Promise<Response> {
  const { address, origin = ORIGIN, ...rest } = init;
  const headers = new Headers(rest.headers);
  if (address !== undefined) headers.set('cf-connecting-ip', address);
  return step(() => worker.fetch(new Request(`${origin}${path}`, { ...rest, headers, redirect: 'manual' })));
}

export function postJson(path: string, body: unknown, init: Parameters<typeof ask>[1] = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('content-type', 'application/json');
  return ask(path, { ...init, method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

export function postForm(
  path: string,
  fields: Record<string, string>,
  init: Parameters<typeof ask>[1] = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('content-type', 'application/x-www-form-urlencoded');
  return ask(path, { ...init, method: 'POST', headers, body: new URLSearchParams(fields).toString() });
}

const base64url = (bytes: ArrayBuffer | Uint8Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** A workstation: its key pair, and the tokens that it signs. */
export class Device {
  deviceId = '';
  name = '';
  readonly #keys: CryptoKeyPair;
  readonly publicKey: { kty: 'OKP'; crv: 'Ed25519'; x: string };

  private constructor(keys: CryptoKeyPair, x: string) {
    this.#keys = keys;
    this.publicKey = { kty: 'OKP', crv: 'Ed25519', x };
  }

  static async unpaired(): Promise<Device> {
    const keys = (await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])) as CryptoKeyPair;
    const jwk = (await crypto.subtle.exportKey('jwk', keys.publicKey)) as JsonWebKey;
    return new Device(keys, jwk.x ?? '');
  }

  /** The first device of a fresh edge, paired with the operator secret. */
  static async first(name = 'studio'): Promise<Device> {
    const opened = await postJson(
      '/devices/pairings',
      { name },
      { headers: { authorization: 'Bearer operator-secret-for-tests' } },
    );
    const device = await Device.unpaired();
    await device.join((await opened.json()) as { pairing_id: string; code: string });
    return device;
  }

  async join(pairing: { pairing_id: string; code: string }): Promise<Response> {
    const { pairing_id, code } = pairing;
    const answer = await postJson('/devices/pairings/consume', { pairing_id, code, public_key: this.publicKey });
    const paired = (await answer.clone().json()) as { device_id?: string; name?: string };
    this.deviceId = paired.device_id ?? '';
    this.name = paired.name ?? '';
    return answer;
  }

  /** A token as the workstation signs it now, with any claim replaced. */
  async token(claims: Partial<DeviceClaims> = {}, nowMs = Date.now()): Promise<string> {
    const jti = base64url(crypto.getRandomValues(new Uint8Array(16)));
    const input = deviceTokenInput({ ...deviceClaims(this.deviceId, ORIGIN, nowMs, jti), ...claims });
    const signature = await crypto.subtle.sign(
      { name: 'Ed25519' },
      this.#keys.privateKey,
      new TextEncoder().encode(input),
    );
    return `${input}.${base64url(signature)}`;
  }

  async get(path: string): Promise<Response> {
    return ask(path, { headers: { authorization: `Bearer ${await this.token()}` } });
  }

  async post(path: string, body: unknown): Promise<Response> {
    return postJson(path, body, { headers: { authorization: `Bearer ${await this.token()}` } });
  }
}

/** What a browser sees on the sign-in page. */
export interface SignInPage {
  status: number;
  html: string;
  requestId: string;
  pageToken: string;
  code: string;
  headers: Headers;
}

export async function readPage(response: Response): Promise<SignInPage> {
  const html = await response.text();
  return {
    status: response.status,
    html,
    requestId: /data-request="([^"]+)"/.exec(html)?.[1] ?? '',
    pageToken: /data-token="([^"]+)"/.exec(html)?.[1] ?? '',
    code: /class="code">(\d{6})</.exec(html)?.[1] ?? '',
    headers: response.headers,
  };
}

/** The browser's side of a sign-in page. */
export async function poll(page: SignInPage): Promise<{ status: number; state: string; redirect?: string }> {
  const answer = await postJson('/authorize/poll', { request_id: page.requestId, page_token: page.pageToken });
  return { status: answer.status, ...((await answer.json()) as { state: string; redirect?: string }) };
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
}

/** A host's OAuth client: registered, with its own verifier and state. */
export class Client {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  state = base64url(crypto.getRandomValues(new Uint8Array(8)));
  redirectUri = REDIRECT;
  origin: string;

  constructor(clientId: string, options: { clientSecret?: string; origin?: string; redirectUri?: string } = {}) {
    this.clientId = clientId;
    this.clientSecret = options.clientSecret;
    this.origin = options.origin ?? ORIGIN;
    this.redirectUri = options.redirectUri ?? REDIRECT;
  }

  static async register(metadata: Record<string, unknown> = {}, origin = ORIGIN, address?: string): Promise<Client> {
    const answer = await postJson(
      '/register',
      { client_name: 'Test Host', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', ...metadata },
      { origin, ...(address === undefined ? {} : { address }) },
    );
    if (answer.status !== 201) throw new Error(`registration: ${answer.status} ${await answer.text()}`);
    const registered = (await answer.json()) as { client_id: string; client_secret?: string; redirect_uris: string[] };
    return new Client(registered.client_id, {
      origin,
      redirectUri: registered.redirect_uris[0] ?? REDIRECT,
      ...(registered.client_secret === undefined ? {} : { clientSecret: registered.client_secret }),
    });
  }

  /** The same app, another person's sign-in. */
  again(): Client {
    return new Client(this.clientId, {
      origin: this.origin,
      redirectUri: this.redirectUri,
      ...(this.clientSecret === undefined ? {} : { clientSecret: this.clientSecret }),
    });
  }

  async authorizePath(changes: Record<string, string | undefined> = {}): Promise<string> {
    const challenge = base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(this.verifier)));
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      state: this.state,
      scope: 'mcp offline_access',
      resource: `${this.origin}/mcp`,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined) query.delete(key);
      else query.set(key, value);
    }
    return `/authorize?${query}`;
  }

  async openPage(
    changes: Record<string, string | undefined> = {},
    init: Parameters<typeof ask>[1] = {},
  ): Promise<SignInPage> {
    return readPage(await ask(await this.authorizePath(changes), { origin: this.origin, ...init }));
  }

  /** From the page to the code, approved by `device`. */
  async signIn(device: Device, options: Record<string, unknown> = {}): Promise<string> {
    const page = await this.openPage();
    const approved = await device.post('/connectors/approve', {
      request_id: page.requestId,
      code: page.code,
      ...options,
    });
    if (approved.status !== 200) throw new Error(`approval: ${approved.status} ${await approved.text()}`);
    const { redirect } = await poll(page);
    const target = new URL(redirect ?? '');
    if (target.searchParams.get('state') !== this.state) throw new Error('the state came back changed');
    return target.searchParams.get('code') ?? '';
  }

  exchange(code: string, changes: Record<string, string> = {}): Promise<Response> {
    return this.#token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      code_verifier: this.verifier,
      ...changes,
    });
  }

  refresh(refreshToken: string, changes: Record<string, string> = {}): Promise<Response> {
    return this.#token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  }

  #token(fields: Record<string, string>): Promise<Response> {
    const secret = this.clientSecret === undefined ? {} : { client_secret: this.clientSecret };
    return postForm('/token', { client_id: this.clientId, ...secret, ...fields }, { origin: this.origin });
  }

  /** Everything up to working tokens. */
  async connect(device: Device, options: Record<string, unknown> = {}): Promise<Tokens> {
    const answer = await this.exchange(await this.signIn(device, options));
    if (answer.status !== 200) throw new Error(`token: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Tokens;
  }
}

/** One MCP request with a bearer; `ping` is answered at the edge, so the token is judged afresh every time. */
export function callMcp(token: string | undefined, origin = ORIGIN): Promise<Response> {
  return postJson(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    {
      origin,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    },
  );
}

export async function connectorsSeenBy(device: Device): Promise<{
  requests: PendingRequest[];
  connectors: Connector[];
}> {
  return (await device.get('/connectors')).json();
}
