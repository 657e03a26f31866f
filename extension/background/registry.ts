/**
 * This browser at the runtime: the profile, the site, the account, the Project and the conversation, each under the ref
 * that the runtime gives. The conversation's ref is what agent tasks are owned by, and a user's turn is told before
 * anything else happens after it: it proves which conversation a tool call came from.
 */
import { ADAPTER_PROTOCOL } from '../../contract/browser/actuation.ts';
import {
  type EndpointAnswer,
  NO_ACCOUNT,
  type RegistryAnswer,
  type RegistryRequest,
  type SourceTurnObserve,
} from '../../contract/extension/index.ts';
import { type PageIdentity, type ProjectIdentity, projectOf, type SiteId } from '../page.ts';
import { POLICIES } from '../policy.ts';
import type { RuntimeDoor } from './runtime.ts';
import type { Area } from './store.ts';

export interface Registry {
  /** Random, made once in this browser profile, and told to nobody but the runtime. */
  seed(): Promise<string>;
  /** This browser, with what the person allows in it; null: the runtime keeps no registry, or cannot be reached. */
  endpoint(): Promise<EndpointAnswer | null>;
  endpointRef(): Promise<string | null>;
  /** What is named against on a site; null: not known. */
  generation(site: SiteId): Promise<number | null>;
  /** The ref of an account that a page named by its digest; null digest: of nobody. */
  account(site: SiteId, digest: string | null): Promise<string | null>;
  /** The ref of a Project, under the account of the page that is meant; null: it cannot be named. */
  space(place: Pick<PageIdentity, 'site' | 'conversation'>, project: ProjectIdentity): Promise<string | null>;
  /** The conversation's ref, or null: the runtime keeps no registry, or cannot be reached. `digest`: its account, where it is known. */
  session(page: PageIdentity, digest?: string | null): Promise<string | null>;
  turn(page: PageIdentity, turn: ToldTurn): Promise<void>;
  /** The runtime has changed: what it said before may not be true of it. */
  forget(): void;
}

/** A person's turn; `textSha256`: of its words, null when they are not all known. */
export interface ToldTurn {
  id: string;
  inProgress: boolean;
  startedAt: number;
  textSha256: string | null;
}

export interface RegistryParts {
  runtime: RuntimeDoor;
  local: Area;
  version: string;
  nowMs: () => number;
  random: (bytes: number) => Uint8Array;
  /** The account of an open page, as a digest; null: nobody is known there. */
  accountOf(place: Pick<PageIdentity, 'site' | 'conversation'>): Promise<string | null>;
}

const SEED = 'herdr.profileSeed';

export function createRegistry(parts: RegistryParts): Registry {
  const { runtime, local } = parts;
  let endpoint: Promise<string | null> | undefined;
  const generations = new Map<string, Promise<number | null>>();
  const refs = new Map<string, Promise<string | null>>();

  const ask = async (request: RegistryRequest): Promise<Extract<RegistryAnswer, { ok: true }> | null> => {
    const answer = await runtime.registry(request);
    if (answer === null) return null;
    if (answer.ok) return answer;
    // What we named is not known (any more), or has grown: everything is said anew the next time.
    forget();
    return null;
  };

  async function register(): Promise<EndpointAnswer | null> {
    const answer = await ask({
      operation: 'endpoint.register',
      profile_seed: await seed(),
      browser_family: 'chromium',
      extension_version: parts.version,
    });
    return answer && 'consent_revision' in answer ? answer : null;
  }

  let seeding: Promise<string> | undefined;
  /** Whoever asks first makes it, for all. */
  const seed = () =>
    (seeding ??= readSeed().catch((error: unknown) => {
      seeding = undefined;
      throw error;
    }));
  async function readSeed(): Promise<string> {
    const { [SEED]: known } = await local.get([SEED]);
    if (typeof known === 'string' && /^[0-9a-f]{64}$/.test(known)) return known;
    const made = [...parts.random(32)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    await local.set({ [SEED]: made });
    return made;
  }

  const endpointRef = () =>
    once(
      () => (endpoint ??= register().then((known) => known?.endpoint_ref ?? null)),
      () => (endpoint = undefined),
    );

  async function generation(provider: SiteId): Promise<number | null> {
    const endpointRefNow = await endpointRef();
    if (endpointRefNow === null) return null;
    const answer = await ask({
      operation: 'provider.observe',
      endpoint_ref: endpointRefNow,
      provider,
      adapter_protocol_version: ADAPTER_PROTOCOL,
      capabilities: [...POLICIES[provider].capabilities],
    });
    return answer && 'observation_generation' in answer ? answer.observation_generation : null;
  }

  async function resource(
    page: { site: SiteId },
    kind: 'account' | 'space' | 'session',
    native: string,
    parent: string | null,
    shown: { label: string | null; url: string | null },
  ): Promise<string | null> {
    const key = `${page.site}\n${kind}\n${parent}\n${native}`;
    const find = async () => {
      const [endpointNow, generationNow] = [await endpoint, await generationOf(page.site)];
      if (endpointNow == null || generationNow === null) return null;
      const answer = await ask({
        operation: 'resource.observe',
        endpoint_ref: endpointNow,
        provider: page.site,
        kind,
        native_identity: native,
        expected_generation: generationNow,
        ...(parent === null ? {} : { parent_ref: parent }),
        ...(shown.label === null ? {} : { display_label: shown.label.slice(0, 256) }),
        ...(shown.url === null ? {} : { canonical_url: shown.url }),
      });
      return answer && 'resource_ref' in answer ? answer.resource_ref : null;
    };
    return once(
      () => remembered(refs, key, find),
      () => refs.delete(key),
    );
  }

  const generationOf = (provider: SiteId) =>
    once(
      () => remembered(generations, provider, () => generation(provider)),
      () => generations.delete(provider),
    );

  async function account(site: SiteId, digest: string | null): Promise<string | null> {
    if ((await generationOf(site)) === null) return null;
    return resource({ site }, 'account', digest ?? NO_ACCOUNT, null, { label: null, url: null });
  }

  async function spaceIn(site: SiteId, digest: string | null, project: ProjectIdentity): Promise<string | null> {
    const parent = await account(site, digest);
    const shown = { label: project.name, url: project.key };
    return parent === null ? null : resource({ site }, 'space', project.id, parent, shown);
  }

  async function session(page: PageIdentity, given?: string | null): Promise<string | null> {
    if (page.conversation === null) return null;
    const digest = given ?? (await parts.accountOf(page));
    const parent = await account(page.site, digest);
    if (parent === null) return null;
    const project = projectOf(page);
    const space = project && (await spaceIn(page.site, digest, project));
    if (project && space === null) return null;
    return resource(page, 'session', page.conversation, space ?? parent, {
      label: page.title,
      url: page.conversation,
    });
  }

  function forget(): void {
    endpoint = undefined;
    generations.clear();
    refs.clear();
  }

  return {
    endpoint: register,
    endpointRef,
    generation: generationOf,
    account,
    space: async (place, project) => spaceIn(place.site, await parts.accountOf(place), project),
    seed,
    session,
    forget,
    async turn(page, { id, inProgress, startedAt, textSha256 }) {
      const ref = await session(page);
      const expected = await generationOf(page.site);
      if (ref === null || expected === null) return;
      const told: SourceTurnObserve = {
        operation: 'source_turn.observe',
        session_ref: ref,
        expected_generation: expected,
        turn_id: id.slice(0, 256),
        in_progress: inProgress,
        started_at: startedAt,
        observed_at: parts.nowMs(),
      };
      // A generation of before takes nothing with a member that it does not know.
      const whole = textSha256 === null ? null : await ask({ ...told, user_text_sha256: textSha256 });
      if (whole === null) await ask(told);
    },
  };
}

function remembered<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/** What came to nothing is not remembered. */
async function once<T>(find: () => Promise<T | null>, forget: () => void): Promise<T | null> {
  const found = await find();
  if (found === null) forget();
  return found;
}
