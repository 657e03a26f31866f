/** Messages of our own pages: what the Side Panel and the Options show and change. */

import { isObject } from '../../contract/json.ts';
import type { Language } from '../../look/words/index.ts';
import { bindingsOf, type Event, handoffView, type Reply, type State } from '../machines/worker/index.ts';
import type { Answer, Reason } from '../messages.ts';
import type { FromPanel, PanelAsks, PanelState } from '../panel.ts';
import type { Consents } from './consent.ts';
import type { Control } from './control.ts';
import { checkConnection, firstRunOf, type SetupParts, sendTrial } from './setup.ts';

export interface PanelParts {
  take(event: Event): Promise<Reply>;
  state(): Promise<State>;
  language(): Language;
  continuityId(): string;
  setup: SetupParts;
  control: Pick<Control, 'fleet' | 'act' | 'describe' | 'lookup' | 'watch'>;
  consent: Consents;
}

export function isFromPanel(message: unknown): message is FromPanel {
  return isObject(message) && message['herdr'] === 1 && message['to'] === 'worker' && message['from'] === 'panel';
}

export async function answerPanel(parts: PanelParts, message: FromPanel): Promise<Answer<unknown>> {
  const given = message as { [K in keyof PanelAsks]: FromPanel<K> }[keyof PanelAsks];
  switch (given.kind) {
    case 'panel.state':
      return { ok: true, value: panelState(await parts.state(), given.body.tab, parts.language()) };
    case 'panel.bind': {
      const { tab, workspace } = given.body;
      const page = (await parts.state()).tabs[tab]?.page;
      if (!page) return refuse('conversation_required');
      return plain(await parts.take({ type: 'bind', tab, page, workspace, continuityId: parts.continuityId() }));
    }
    case 'panel.unbind':
      return plain(await parts.take({ type: 'unbind', binding: given.body.binding }));
    case 'panel.fleet':
      return { ok: true, value: await parts.control.fleet() };
    case 'panel.act':
      return { ok: true, value: await parts.control.act(given.body) };
    case 'panel.describe':
      return { ok: true, value: await parts.control.describe(given.body.target, given.body.method) };
    case 'panel.lookup':
      return { ok: true, value: await parts.control.lookup(given.body.key) };
    case 'panel.watch':
      return (await parts.control.watch(given.body)) ? { ok: true, value: null } : refuse('runtime_unavailable');
    case 'panel.consent': {
      const { set } = given.body;
      return { ok: true, value: set === null ? await parts.consent.read() : await parts.consent.set(set) };
    }
    case 'panel.check':
      return { ok: true, value: await checkConnection(parts.setup) };
    case 'panel.first':
      parts.setup.listen();
      return { ok: true, value: firstRunOf(await parts.state(), parts.language()) };
    case 'panel.trial':
      return plain(await sendTrial(parts.setup, given.body.tab));
    case 'panel.config': {
      const reply = await parts.take({ type: 'config', config: given.body.config });
      return reply.ok ? { ok: true, value: (await parts.state()).config } : reply;
    }
    default:
      return refuse('unknown_message');
  }
}

/** Bound rows first, then the others by name; what is bound elsewhere stays reachable. */
function panelState(state: State, tab: number | null, language: Language): PanelState {
  const page = tab === null ? null : (state.tabs[tab]?.page ?? null);
  const own = page === null || tab === null ? [] : bindingsOf(state, page, tab);
  const ownIds = new Set(own.map(({ id }) => id));
  const statusOf = (workspace: string) =>
    Object.values(state.bindings).find((row) => row.workspace === workspace)?.activity.status ?? 'unknown';
  const workspaces = state.workspaces
    .map(({ id, label }) => ({
      id,
      label,
      status: statusOf(id),
      binding: own.find((row) => row.workspace === id && row.server === state.stream.server)?.id ?? null,
    }))
    .sort((a, b) => Number(b.binding !== null) - Number(a.binding !== null) || a.label.localeCompare(b.label));
  return {
    language: state.config.language ?? language,
    runtime: state.link,
    herdr: state.stream.herdr,
    page,
    workspaces,
    hidden: own
      .filter(({ id }) => workspaces.every(({ binding }) => binding !== id))
      .map(({ id, label }) => ({ binding: id, label })),
    handoff: page === null ? null : handoffView(state, page),
    elsewhere: Object.values(state.bindings)
      .filter(({ id }) => !ownIds.has(id))
      .map(({ id, label, scopeKey, activity }) => ({ binding: id, label, scopeKey, status: activity.status })),
    retired: state.retired.map(({ label, why, at }) => ({ label, why, at })),
    stale: state.stale,
    config: state.config,
  };
}

/** Whether anything that our own pages show has changed: the position in the stream, which moves all the time, is nothing. */
export function isSeen(before: State, after: State): boolean {
  const parts = [
    'bindings',
    'retired',
    'workspaces',
    'link',
    'config',
    'stale',
    'tabs',
    'deliveries',
    'transfers',
    'handed',
  ] as const;
  const { herdr, server } = before.stream;
  return (
    parts.some((one) => before[one] !== after[one]) || herdr !== after.stream.herdr || server !== after.stream.server
  );
}

const plain = (reply: Reply): Answer<null> => (reply.ok ? { ok: true, value: null } : reply);
const refuse = (reason: Reason): Answer<never> => ({ ok: false, reason });
