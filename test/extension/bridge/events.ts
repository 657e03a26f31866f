/** Pages of a chat with the bridge, and the events that the worker hears of them. */
import type { BridgeEvent } from '../../../extension/machines/bridge/index.ts';
import { EMPTY, type Event, type From, type State, step } from '../../../extension/machines/worker/index.ts';
import type { PageState } from '../../../extension/messages.ts';
import type { PageIdentity, SiteId } from '../../../extension/page.ts';

export const NOW = 1_764_500_000_000;
const QUIET: PageState = { busy: false, draft: false, card: false, visible: true };
export const A = 'https://chat.z.ai/c/A';
export const B = 'https://chat.z.ai/c/B';
export const LOOP = 'bl_0123456789abcdef';

export const pageOf = (conversation: string | null, more: Partial<PageIdentity> = {}): PageIdentity => ({
  site: 'zai',
  place: conversation === null ? 'root' : 'conversation',
  conversation,
  project: 'none',
  url: conversation ?? 'https://chat.z.ai/',
  title: null,
  ...more,
});
export const from = (page: PageIdentity, tab = 7): From => ({ tab, document: 'd', version: '1', page });

export function after(state: State, ...events: readonly Event[]): State {
  let next = state;
  for (const event of events) next = step(next, event, { now: NOW, language: 'en' }).state;
  return next;
}
export const here = (page: PageIdentity, tab = 7): Event => ({ type: 'here', from: from(page, tab), state: QUIET });
export const bridge = (event: BridgeEvent, page = pageOf(A), tab = 7): Event => ({
  type: 'bridge',
  event,
  from: from(page, tab),
});
export const bind = (page: PageIdentity): Event => ({
  type: 'bind',
  tab: 7,
  page,
  workspace: 'w1',
  continuityId: 'hc:1:abcdefgh',
});
export const begun = after(
  { ...EMPTY, workspaces: [{ id: 'w1', label: 'site' }], stream: { ...EMPTY.stream, server: 'embedded' } },
  { type: 'config', config: { sites: ['zai', 'deepseek'] } },
  { type: 'link', status: 'connected' },
);

export const seen = (conversation: string, n = 1, site: SiteId = 'zai'): BridgeEvent => ({
  type: 'turn',
  site,
  conversation,
  turn: { loop: LOOP, n, reply: null },
  catalogue: null,
});
