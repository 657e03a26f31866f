/** What the Options and the page of the first steps ask: is the way whole, how far is the set-up, send a first wake. */
import type { Language } from '../../look/words/index.ts';
import { type Check, explain } from '../checks.ts';
import { bindingsOf, type Event, type Fresh, type Reply, type State } from '../machines/worker/index.ts';
import type { DeliveryKind, RuntimeStatus } from '../messages.ts';
import type { FirstRun } from '../panel.ts';
import { POLICIES } from '../policy.ts';

export interface SetupParts {
  state(): Promise<State>;
  take(event: Event): Promise<Reply>;
  nowMs(): number;
  id(): string;
  /** Asks the native host who it is; starts it when none runs. */
  host(): Promise<RuntimeStatus>;
  fresh(): Promise<Fresh | null>;
  /** Begins to listen to the runtime when nobody does. */
  listen(): void;
  /** Whether the browser lets us onto the chat pages that belong to every installation. */
  access(): Promise<boolean>;
  /** Open chat tabs, by what a page script in them says of itself; null: none answers. */
  pages(): Promise<readonly (string | null)[]>;
  version: string;
  extensionId: string;
}

export async function checkConnection(parts: SetupParts): Promise<Check[]> {
  const [host, access, pages] = await Promise.all([parts.host(), parts.access(), parts.pages()]);
  const begun = parts.nowMs();
  const fresh = host === 'connected' ? await parts.fresh() : null;
  const ms = parts.nowMs() - begun;
  parts.listen();
  const { link, stream } = await parts.state();
  return explain({
    host,
    runtime: fresh && { boot: fresh.boot, herdr: fresh.herdr, workspaces: fresh.workspaces.length, ms },
    streamBoot: link === 'connected' ? stream.boot : null,
    extensionId: parts.extensionId,
    access,
    pages: { open: pages.length, answering: pages.filter((version) => version === parts.version).length },
  });
}

export async function sendTrial(parts: SetupParts, tab: number): Promise<Reply> {
  return parts.take({ type: 'trial', tab, id: parts.id(), fresh: await parts.fresh() });
}

/** Messages that bring work back into a chat; a person's own words and a plain Continue are none. */
const WAKES: ReadonlySet<DeliveryKind> = new Set(['settled', 'tasks', 'progress', 'check']);

/** The set-up as the state shows it. What a person has done, is done: nothing is remembered beside it. */
export function firstRunOf(state: State, language: Language): FirstRun {
  const pages = Object.entries(state.tabs)
    .filter(([, { page }]) => POLICIES[page.site].binds && page.place !== 'root')
    .map(([id, { page }]) => ({ tab: Number(id), page, rows: bindingsOf(state, page, Number(id)) }));
  const rows = Object.values(state.bindings);
  const told = Object.values(state.deliveries)
    .filter(({ kind }) => WAKES.has(kind))
    .filter(({ conversation }) => rows.some(({ target }) => target?.conversation === conversation))
    .sort((a, b) => b.updatedAt - a.updatedAt);
  const last = told.find(({ state: one }) => one === 'sent') ?? told[0];
  return {
    language: state.config.language ?? language,
    runtime: state.link,
    herdr: state.stream.herdr,
    workspaces: state.workspaces,
    pages: pages.map(({ tab, page, rows: own }) => ({
      tab,
      site: page.site,
      title: page.title,
      place: page.place,
      bound: own.map(({ label }) => label),
      receives: own.some(({ target }) => target !== null && target.conversation === page.conversation),
      settled: own.find(({ activity }) => activity.pending !== null)?.label ?? null,
    })),
    bindings: rows.map(({ label }) => label),
    wake:
      last === undefined
        ? null
        : {
            state:
              last.state === 'planned' || last.state === 'handed'
                ? 'waiting'
                : last.state === 'elsewhere'
                  ? 'blocked'
                  : last.state,
            reason: last.reason,
          },
  };
}
