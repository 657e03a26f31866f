/** States of the worker as a person may meet them: nothing there, not known, away, wrong, at work, too much. */
import type { ConnectionFacts } from '../../../extension/checks.ts';
import { IDLE } from '../../../extension/machines/worker/at-work.ts';
import { EMPTY, type State } from '../../../extension/machines/worker/index.ts';
import type { WorkspaceStatus } from '../../../extension/messages.ts';
import type { PageIdentity } from '../../../extension/page.ts';

const CHAT = 'https://chatgpt.com/c/11111111-2222-4333-8444-555555555555';
/** The chat tab that the surfaces are about. */
export const TAB = 7;
/** Every picture shows the same moment. */
const NOW = 1_764_500_000_000;

const page: PageIdentity = {
  site: 'chatgpt',
  place: 'conversation',
  conversation: CHAT,
  project: 'none',
  url: CHAT,
  title: 'Tax rounding',
};
const quiet = { busy: false, draft: false, card: false, visible: true };

const connected: State = {
  ...EMPTY,
  link: 'connected',
  stream: { ...EMPTY.stream, boot: 'boot_1', position: 40, herdr: 'live', server: 'embedded' },
};
const open: State = {
  ...connected,
  tabs: { [TAB]: { document: 'd1', version: '1.0.0', page, state: quiet } },
  workspaces: [
    { id: 'w1', label: 'invoices' },
    { id: 'w2', label: 'website' },
    { id: 'w3', label: 'herdr-mcp' },
  ],
};

function bound(state: State, workspace: string, label: string, status: WorkspaceStatus, settled = false): State {
  const id = `${CHAT}::embedded/${workspace}`;
  const pending = settled
    ? {
        count: 1,
        at: NOW,
        panes: [{ pane: `${workspace}:p1`, name: 'builder', status: 'done' }],
        missed: false,
        notBefore: 0,
        uncertain: false,
      }
    : null;
  const row = {
    id,
    scope: 'conversation' as const,
    scopeKey: CHAT,
    site: 'chatgpt' as const,
    project: null,
    server: 'embedded',
    workspace,
    label,
    target: { conversation: CHAT, url: CHAT },
    tab: TAB,
    continuityId: 'hc:1:abcdefgh',
    revision: 1,
    createdAt: NOW,
    activity: { ...IDLE, status, working: status === 'working' ? [`${workspace}:p1`] : [], pending },
    connector: null,
  };
  return { ...state, bindings: { ...state.bindings, [id]: row } };
}

function delivered(state: State, become: 'sent' | 'uncertain' | 'blocked'): State {
  const delivery = {
    id: 'trial:1',
    kind: 'check' as const,
    conversation: CHAT,
    text: null,
    print: '',
    messageId: null,
    turnSeen: false,
    manual: true,
    bindings: [],
    tasks: null,
    queued: [],
    connector: null,
    restore: { pending: {}, progress: {} },
    state: become,
    attempt: 1,
    tab: TAB,
    document: 'd1',
    baseline: null,
    reason: become === 'blocked' ? ('user_typing' as const) : null,
    createdAt: NOW,
    updatedAt: NOW,
    lookedAt: NOW,
  };
  return { ...state, deliveries: { [delivery.id]: delivery } };
}

/** 50 workspaces, names of every length, and a dozen ended bindings. */
function crowded(): State {
  const names = [
    'a',
    'メインのウェブサイトと請求書の自動処理',
    'the-quite-long-name-of-a-repository-that-nobody-shortened',
    '发票',
  ];
  const workspaces = Array.from({ length: 50 }, (_, index) => ({
    id: `w${index + 1}`,
    label: `${names[index % names.length]}${index < names.length ? '' : `-${index}`}`,
  }));
  let state: State = { ...open, workspaces };
  const statuses = ['working', 'blocked', 'done', 'idle', 'unknown'] as const;
  for (const [index, status] of statuses.entries()) {
    const { id, label } = workspaces[index] ?? { id: 'w1', label: 'a' };
    state = bound(state, id, label, status);
  }
  const retired = Array.from({ length: 12 }, (_, index) => ({
    id: `old${index}`,
    label: workspaces[index + 20]?.label ?? '',
    scopeKey: CHAT,
    why: index % 2 === 0 ? ('workspace_closed' as const) : ('server_changed' as const),
    at: NOW - index,
  }));
  return { ...state, retired, stale: { ...state.stale, position_handled: 1_204 } };
}

const one = bound(open, 'w1', 'invoices', 'idle');

export const STATES = {
  unknown: EMPTY,
  host_missing: { ...EMPTY, link: 'host_missing' },
  standby: { ...EMPTY, link: 'standby' },
  offline: { ...bound(open, 'w1', 'invoices', 'unknown'), link: 'offline' },
  herdr_away: { ...one, stream: { ...one.stream, herdr: 'away' } },
  empty: { ...open, workspaces: [], tabs: {} },
  no_chat: { ...open, tabs: {} },
  unbound: open,
  idle: one,
  working: bound(one, 'w2', 'website', 'working'),
  settled: bound(open, 'w1', 'invoices', 'done', true),
  blocked: bound(open, 'w1', 'invoices', 'blocked'),
  sent: delivered(one, 'sent'),
  refused: delivered(one, 'blocked'),
  uncertain: delivered(one, 'uncertain'),
  crowded: crowded(),
} as const satisfies Record<string, State>;
export type StateName = keyof typeof STATES;

/** What the connection test sees in that state. */
export function connectionIn({ link, stream, tabs }: State): ConnectionFacts {
  const runtime = link === 'connected' ? { boot: 'boot_1', herdr: stream.herdr ?? '', workspaces: 3, ms: 7 } : null;
  return {
    host: link === 'offline' ? 'connected' : link,
    runtime,
    streamBoot: link === 'connected' ? stream.boot : null,
    access: true,
    extensionId: 'jbcjhnnmhaekdnbgfllpfipennppfedh',
    pages: { open: Object.keys(tabs).length, answering: Object.keys(tabs).length },
  };
}
