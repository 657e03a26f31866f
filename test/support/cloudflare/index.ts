/**
 * A stand-in of Cloudflare: its API as wrangler and our scripts use it, and the Workers that are uploaded to it, really
 * running in workerd with the secrets and variables that they were given. It can be unkind: refuse, fail before or after
 * it acted, fall silent after it acted, answer a gateway's page, or let somebody else be first.
 */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { startWorkerd, type Workerd } from '../../../scripts/workerd/index.ts';
import { type AccountAt, newAccount, newScript, servingVersion, type VersionAt } from './account.ts';
import { Front } from './front.ts';
import { type Asked, handle } from './routes.ts';

export type { AccountAt, VersionAt } from './account.ts';

export interface Fault {
  /** `METHOD /path` below `/client/v4`. */
  on: RegExp;
  /** `race` runs `meanwhile` first and then answers as usual. */
  kind: 'refuse' | 'fail_before' | 'fail_after' | 'silent_after' | 'page_after' | 'race';
  /** How many requests it hits; 1 when absent. */
  times?: number;
  meanwhile?: () => void;
}

export interface Saved {
  account: AccountAt;
  copy: string;
  names: string[];
}

export class CloudflareStandIn {
  readonly account: AccountAt = newAccount();
  /** `METHOD /path` of every request to the API, in order. */
  readonly requests: string[] = [];
  faults: Fault[] = [];
  /** Names that lead nowhere although they should: a certificate that is not made yet, an outage. */
  readonly hidden = new Set<string>();
  readonly front: Front;
  readonly #folder: string;
  readonly #token: string;
  readonly #server: http.Server;
  readonly #running = new Map<string, Workerd>();
  /** Workers that serve differently at the next request. */
  readonly #changed = new Set<string>();
  #starting: Promise<void> = Promise.resolve();
  #api = '';
  #proxy = '';

  /** `folder` takes bundles and the objects' databases; `hosts` are the names that may come to serve. */
  constructor(folder: string, hosts: readonly string[], token = 'stand-in-token') {
    this.#folder = folder;
    this.#token = token;
    this.front = new Front(hosts, (host) => this.#serving(host));
    this.#server = http.createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        this.#answer(request, response, Buffer.concat(pieces)).catch((error: Error) => {
          response.writeHead(599).end(error.stack);
        });
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#api = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/client/v4`;
    this.#proxy = await this.front.listen();
  }

  /** What points wrangler, the scripts and the link at this stand-in. */
  get env(): Record<string, string> {
    return {
      CLOUDFLARE_API_BASE_URL: this.#api,
      CLOUDFLARE_API_TOKEN: this.#token,
      HTTPS_PROXY: this.#proxy,
      NO_PROXY: '127.0.0.1',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    this.front.close();
    for (const workerd of this.#running.values()) await workerd.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Forgets everything that was deployed. */
  async reset(): Promise<void> {
    for (const workerd of this.#running.values()) await workerd.close();
    this.#running.clear();
    this.#changed.clear();
    rmSync(this.#folder, { recursive: true, force: true });
    Object.assign(this.account, newAccount());
    this.requests.length = 0;
    this.front.seen.length = 0;
    this.faults = [];
    this.hidden.clear();
  }

  /**
   * Uploads again what some wrangler uploaded before, as wrangler would, without bundling it anew: `from` is a version of
   * before a {@link reset}.
   */
  async place(name: string, from: VersionAt, tag: string, vars: Readonly<Record<string, string>>): Promise<void> {
    const bindings = from.bindings.map((one) => (one.name in vars ? { ...one, text: vars[one.name] ?? '' } : one));
    const version = { ...from, id: randomUUID(), bindings, annotations: { 'workers/tag': tag } };
    const script = this.account.scripts.get(name) ?? newScript(name);
    script.versions.unshift(version);
    script.deployments.unshift(version.id);
    this.account.scripts.set(name, script);
    this.#changed.add(name);
  }

  /** What is deployed now, with what the objects have stored, for {@link restore}. */
  async save(): Promise<Saved> {
    for (const workerd of this.#running.values()) await workerd.close();
    const copy = `${this.#folder}.saved`;
    cpSync(this.#folder, copy, { recursive: true });
    const names = [...this.#running.keys()];
    for (const name of names) await this.#bring(name);
    return { account: structuredClone(this.account), copy, names };
  }

  async restore({ account, copy, names }: Saved): Promise<void> {
    await this.reset();
    cpSync(copy, this.#folder, { recursive: true });
    Object.assign(this.account, structuredClone(account));
    for (const name of names) this.#changed.add(name);
  }

  /** How often a request of this kind came. */
  count(pattern: RegExp): number {
    return this.requests.filter((request) => pattern.test(request)).length;
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse, body: Buffer): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const path = url.pathname.replace(/^\/client\/v4/, '');
    const method = request.method ?? 'GET';
    this.requests.push(`${method} ${path}`);
    const send = (status: number, result: unknown, errors: unknown[] = []) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: status < 400, errors, messages: [], result: result ?? null }));
    };
    if (request.headers.authorization !== `Bearer ${this.#token}`) {
      send(401, null, [{ code: 10_000, message: 'Authentication error' }]);
      return;
    }
    const fault = this.faults.find(({ on, times = 1 }) => times > 0 && on.test(`${method} ${path}`));
    if (fault) fault.times = (fault.times ?? 1) - 1;
    if (fault?.kind === 'refuse') return send(403, null, [{ code: 10_000, message: 'Authentication error' }]);
    if (fault?.kind === 'fail_before')
      return send(500, null, [{ code: 10_013, message: 'An unknown error has occurred.' }]);
    if (fault?.kind === 'race') fault.meanwhile?.();
    const asked: Asked = { method, path, query: url.searchParams, type: request.headers['content-type'] ?? '', body };
    const said = await handle(this.account, asked, async (script) => void this.#changed.add(script));
    if (fault?.kind === 'fail_after') return send(503, null, [{ code: 10_013, message: 'Service unavailable.' }]);
    if (fault?.kind === 'silent_after') {
      request.socket.destroy();
      return;
    }
    if (fault?.kind === 'page_after') {
      response.writeHead(524, { 'content-type': 'text/html' }).end('<html>error code: 524</html>');
      return;
    }
    send(said.status, said.result, said.errors);
  }

  /** Which running Worker a public name leads to. */
  async #serving(host: string): Promise<string | undefined> {
    if (this.hidden.has(host)) return undefined;
    const { scripts, subdomain, domains } = this.account;
    const domain = domains.find(({ hostname }) => hostname === host);
    const own = [...scripts.values()].find(
      ({ name, onWorkersDev }) => onWorkersDev && host === `${name}.${subdomain}.workers.dev`,
    );
    const name = domain?.service ?? own?.name ?? '';
    if (this.#changed.has(name)) {
      this.#changed.delete(name);
      this.#starting = this.#starting.then(() => this.#bring(name)); // what was changed several times starts once
    }
    await this.#starting;
    return this.#running.get(name)?.origin;
  }

  /** Runs what the Worker serves now, with the storage of before. */
  async #bring(name: string): Promise<void> {
    const script = this.account.scripts.get(name);
    const version = script && servingVersion(script);
    if (!script || !version) return;
    await this.#running.get(name)?.close();
    const bundle = join(
      this.#folder,
      name,
      version.modules
        .map((one) => one.name)
        .join()
        .length.toString(),
    );
    const modules = version.modules.map((one) => ({ ...one, file: join(bundle, one.name) }));
    for (const { file, bytes } of modules) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
    const [entry] = modules.filter(({ type }) => type.includes('javascript'));
    const text = version.bindings.filter(({ type }) => type === 'plain_text').map((one) => [one.name, one.text ?? '']);
    const objects = version.bindings
      .filter(({ type }) => type === 'durable_object_namespace')
      .map((one) => [one.name, one.class_name ?? '']);
    this.#running.set(
      name,
      await startWorkerd({
        entry: entry?.file ?? '',
        textModules: modules.filter(({ type }) => type.startsWith('text/plain')).map(({ file }) => file),
        compatibilityDate: version.compatibilityDate,
        compatibilityFlags: version.compatibilityFlags,
        durableObjects: Object.fromEntries(objects) as Record<string, string>,
        text: { ...(Object.fromEntries(text) as Record<string, string>), ...script.secrets },
        protocolHeader: 'x-forwarded-proto',
        configDir: join(this.#folder, name, 'config'),
        storage: join(this.#folder, name, 'objects'),
        port: 0,
        endsWithParent: true,
      }),
    );
  }
}
