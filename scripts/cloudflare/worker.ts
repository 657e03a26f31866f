/** What stands at Cloudflare about one Worker, read and never guessed. */
import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { LocalError } from '../../local/error/index.ts';
import { type Api, refusedBy } from './client.ts';

const Binding = Type.Object({
  name: Type.String(),
  type: Type.String(),
  text: Type.Optional(Type.String()),
  class_name: Type.Optional(Type.String()),
});
const Settings = Type.Object({ bindings: Type.Array(Binding) });
const Version = Type.Object({ version_id: Type.String(), percentage: Type.Number() });
const Deployments = Type.Object({
  deployments: Type.Array(Type.Object({ id: Type.String(), versions: Type.Array(Version) })),
});
const VersionDetail = Type.Object({
  id: Type.String(),
  annotations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
const Secrets = Type.Array(Type.Object({ name: Type.String() }));
const Subdomain = Type.Object({ enabled: Type.Boolean() });
const AccountSubdomain = Type.Object({ subdomain: Type.String() });

export type Binding = Static<typeof Binding>;

/** One Worker of an account. Every method is a read. */
export class WorkerAt {
  readonly api: Api;
  readonly account: string;
  readonly name: string;
  /** `/accounts/<id>/workers/scripts/<name>` */
  readonly path: string;

  constructor(api: Api, account: string, name: string) {
    this.api = api;
    this.account = account;
    this.name = name;
    this.path = `/accounts/${encodeURIComponent(account)}/workers/scripts/${encodeURIComponent(name)}`;
  }

  /** What it is bound to, secrets by name only; `undefined` when no Worker of this name exists. */
  async bindings(): Promise<Binding[] | undefined> {
    const found = await this.api.find(`${this.path}/settings`);
    return found === undefined ? undefined : checked(Settings, found, 'settings').bindings;
  }

  /** The names of its secrets, sorted; none when there is no Worker. */
  async secrets(): Promise<string[]> {
    const found = await this.api.find(`${this.path}/secrets`);
    return found === undefined
      ? []
      : checked(Secrets, found, 'secrets')
          .map(({ name }) => name)
          .sort();
  }

  /**
   * The version that serves everything, and the tag of the upload that it came from; `undefined` before the first deploy.
   * Setting or removing a secret makes a version of its own, of the same code: those are walked past to the upload.
   */
  async serving(): Promise<{ version: string; tag: string | undefined } | undefined> {
    const found = await this.api.find(`${this.path}/deployments`);
    if (found === undefined) return undefined;
    const versions = checked(Deployments, found, 'deployments').deployments.map(({ versions: [only, ...others] }) =>
      others.length === 0 ? only?.version_id : undefined,
    );
    const [newest] = versions;
    if (versions.length === 0) return undefined;
    if (newest === undefined) {
      throw new LocalError(
        'gradual_deployment',
        `The Worker ${this.name} serves several versions at once (a gradual deployment).`,
        'Finish or end that deployment first (`npx wrangler deployments status`); nothing was changed.',
      );
    }
    for (const version of versions) {
      if (version === undefined) break;
      const path = `${this.path}/versions/${encodeURIComponent(version)}`;
      const { annotations } = checked(VersionDetail, await this.api.get(path), 'version');
      if (annotations?.['workers/triggered_by'] === 'secret') continue;
      const tag = annotations?.['workers/tag'];
      return { version: newest, tag: typeof tag === 'string' ? tag : undefined };
    }
    return { version: newest, tag: undefined };
  }

  /** Whether it answers under the account's `workers.dev` name. */
  async isOnWorkersDev(): Promise<boolean> {
    const found = await this.api.find(`${this.path}/subdomain`);
    return found !== undefined && checked(Subdomain, found, 'subdomain').enabled;
  }
}

/** The account's part of `<worker>.<part>.workers.dev`; `undefined` while it has none. */
export async function accountSubdomain(api: Api, account: string): Promise<string | undefined> {
  const answer = await api.read(`/accounts/${encodeURIComponent(account)}/workers/subdomain`);
  if (answer.is === 'ok') return checked(AccountSubdomain, answer.result, 'subdomain').subdomain;
  if (answer.status === 404 || answer.errors.some(({ code }) => code === NO_SUBDOMAIN)) return undefined;
  throw refusedBy(answer, 'the question for the workers.dev subdomain');
}

/** Cloudflare's code for "this account has no workers.dev subdomain". */
const NO_SUBDOMAIN = 10_007;

/** An answer as its schema says. An unknown shape is a changed API: it is told, and nothing is guessed from it. */
export function checked<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  if (Value.Check(schema, value)) return value;
  throw new LocalError(
    'cloudflare_changed',
    `Cloudflare's API described the ${what} in a way that this version does not know.`,
    'Update herdr-mcp; nothing was changed.',
  );
}
