/** What the bar on a page shows, from the state alone. Pure. */

import type { Language } from '../../../look/words/index.ts';
import type { ActionName, HudState, Reason, WorkspaceSeen, WorkspaceStatus } from '../../messages.ts';
import type { PageIdentity } from '../../page.ts';
import { isOn, POLICIES } from '../../policy.ts';
import { bridgeView } from '../bridge/index.ts';
import { backOffUntil, recoveryView } from '../recovery/index.ts';
import { autoOf } from './auto.ts';
import { decideObjection, judgeView, pressureView } from './auto-view.ts';
import { bindingsOf, scopeOf } from './binding.ts';
import type { Fresh } from './events.ts';
import { startObjection, transferOf } from './handoff-guards.ts';
import { handoffView } from './handoff-view.ts';
import { queueOf, viewOf } from './queue.ts';
import { type Binding, type Delivery, openDelivery, type State } from './state.ts';

export function hudOf(state: State, page: PageIdentity, tab: number, language: Language): HudState {
  const rows = bindingsOf(state, page, tab);
  const waiting = rows.find((row) => row.activity.pending !== null);
  const auto = autoOf(state, page);
  const { conversation } = page;
  return {
    language,
    revision: state.revision,
    runtime: state.link,
    herdr: state.stream.herdr,
    bound: rows.map(({ workspace, label, activity }) => ({ workspace, label, status: activity.status })),
    scope: rows.length === 0 ? null : scopeOf(page, tab).scope,
    auto,
    settled: waiting
      ? {
          workspace: waiting.workspace,
          label: waiting.label,
          round: waiting.activity.working.length > 0 ? 'partial' : 'round',
          uncertain: waiting.activity.pending?.uncertain ?? false,
        }
      : null,
    tasks: conversation === null ? null : (state.sessions[conversation]?.tasks ?? null),
    queue: viewOf(queueOf(state, conversation)),
    delivery: conversation === null ? null : lastDelivery(state, conversation),
    bridge: bridgeView(state.bridge, page, {
      isOn: POLICIES[page.site].bridge && isOn(page.site, state.config.sites),
      isBound: rows.length > 0,
    }),
    recovery: conversation === null ? null : recoveryView(state.recovery.chats[conversation]),
    rateLimitedUntil: backOffUntil(state.recovery, page.site),
    decides: state.services?.chat ?? false,
    judge: judgeView(state, conversation),
    pressure: pressureView(state, conversation),
    handoff: handoffView(state, page),
    actions: actionsOf(state, page, tab, rows, auto.on),
  };
}

/** Why each button cannot be pressed, or null. The three that move the conversation on are locked while Auto is on. */
function actionsOf(
  state: State,
  page: PageIdentity,
  tab: number,
  rows: readonly Binding[],
  autoOn: boolean,
): Record<ActionName, Reason | null> {
  const standby: Reason | null = state.link === 'standby' ? 'standby' : null;
  const chat: Reason | null = page.conversation === null ? 'conversation_required' : null;
  const busy: Reason | null =
    page.conversation !== null && openDelivery(state, page.conversation) ? 'wake_in_flight' : null;
  const locked: Reason | null = autoOn ? 'auto_on' : null;
  const pending = rows.some((row) => row.activity.pending !== null && row.target?.conversation === page.conversation);
  return {
    continue: standby ?? chat ?? locked ?? busy,
    // Looking never needs the composer; only the continuation after it does.
    check: standby ?? chat ?? locked ?? (rows.length === 0 ? 'unbound' : null),
    decide: standby ?? chat ?? locked ?? busy ?? decideObjection(state, page.conversation),
    handoff: standby ?? chat ?? handoffObjectionOf(state, page, tab),
    recover: standby ?? chat ?? recoverable(state, page.conversation),
    send_settled: standby ?? chat ?? (pending ? busy : 'nothing_settled'),
  };
}

/** One that is in doubt may be looked for again; one that runs needs nobody. */
function handoffObjectionOf(state: State, page: PageIdentity, tab: number): Reason | null {
  const running = transferOf(state, page);
  if (running === undefined) return startObjection(state, page, tab, null);
  return running.phase === 'uncertain' ? null : 'transfer_active';
}

/** Only what is offered can be pressed; what Auto does it does by itself. */
function recoverable(state: State, conversation: string | null): Reason | null {
  const health = conversation === null ? undefined : state.recovery.chats[conversation];
  return health?.phase === 'offered' ? null : 'nothing_to_recover';
}

const SHOWN: Readonly<Record<Delivery['state'], NonNullable<HudState['delivery']>['state']>> = {
  planned: 'waiting',
  handed: 'waiting',
  submitting: 'submitting',
  sent: 'sent',
  blocked: 'blocked',
  uncertain: 'uncertain',
  elsewhere: 'blocked',
};

function lastDelivery(state: State, conversation: string): HudState['delivery'] {
  const [last] = Object.values(state.deliveries)
    // What another browser did by itself is nothing to say here; a person who has pressed wants to know.
    .filter((one) => one.conversation === conversation && (one.state !== 'elsewhere' || one.manual))
    .sort((a, b) => b.updatedAt - a.updatedAt);
  return last ? { kind: last.kind, state: SHOWN[last.state], reason: last.reason } : null;
}

/** The bound workspaces as they are now, for a person who looks. */
export function seenOf(fresh: Fresh, rows: readonly Binding[]): WorkspaceSeen[] {
  return rows.map((row) => {
    const agents = fresh.agents.filter(({ workspace }) => workspace === row.workspace);
    return {
      workspace: row.workspace,
      label: fresh.workspaces.find(({ id }) => id === row.workspace)?.label ?? row.label,
      status: statusOf(agents.map(({ status }) => status)),
      agents: agents.map(({ pane, name, agent, status, terminal_title }) => ({
        pane,
        name: name ?? agent ?? pane,
        status,
        title: terminal_title,
      })),
    };
  });
}

function statusOf(statuses: readonly string[]): WorkspaceStatus {
  for (const status of ['working', 'blocked', 'done', 'idle'] as const) if (statuses.includes(status)) return status;
  return statuses.length > 0 ? 'unknown' : 'idle';
}
