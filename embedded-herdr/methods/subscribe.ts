import {
  AGENT_STATUSES,
  LIFECYCLE_SUBSCRIPTIONS,
  type LifecycleEventName,
  type LifecycleSubscription,
  type Subscription,
  wireEventName,
} from '../../contract/herdr/index.ts';
import { TICK_MS } from '../limits.ts';
import { type Pane, type Session, statusChange } from '../session/index.ts';
import { CallError, type Handlers, paneNamed } from './call.ts';
import { afterOutput, matcherOf, matchRead } from './input.ts';
import { waiting } from './waiting.ts';

/** Begins to push; the answer ends it. */
type Feed = (push: (line: object) => void, fail: (error: unknown) => void) => () => void;

const LIFECYCLE: ReadonlySet<string> = new Set(LIFECYCLE_SUBSCRIPTIONS);
const isLifecycle = (type: string): type is LifecycleSubscription => LIFECYCLE.has(type);

/** Ring events of the named kinds in true order, the old ones first. */
function lifecycleFeed(session: Session, names: ReadonlySet<LifecycleEventName>): Feed {
  return (push) => session.ports.ring.follow((event) => (names.has(event.event) ? push(event) : undefined));
}

function statusFeed(session: Session, pane: Pane, filter: string | undefined): Feed {
  return (push) => {
    let last = JSON.stringify(statusChange(pane));
    const tell = (force: boolean): void => {
      const data = statusChange(pane);
      const text = JSON.stringify(data);
      if (!force && text === last) return;
      last = text;
      if (filter === undefined || data.agent_status === filter) push({ event: 'pane.agent_status_changed', data });
    };
    if (filter !== undefined) tell(true);
    const offs = [
      session.signals.status.on((moment) => (moment.pane === pane ? tell(false) : undefined)),
      session.signals.shown.on((changed) => (changed === pane ? tell(false) : undefined)),
    ];
    return () => {
      for (const off of offs) off();
    };
  };
}

function outputFeed(session: Session, subscription: Extract<Subscription, { type: 'pane.output_matched' }>): Feed {
  const pane = session.panes.get(subscription.pane_id);
  // Herdr's own code for it: its probe fails, not its look-up.
  if (!pane) throw new CallError('internal_error', `there is no pane ${subscription.pane_id} to match output of`);
  const matches = matcherOf(subscription.match);
  return (push, fail) => {
    let matching = false;
    const look = (): void => {
      try {
        const read = matchRead(pane, subscription);
        const line = matches(read.text);
        if (line !== undefined && !matching) {
          push({ event: 'pane.output_matched', data: { pane_id: pane.id, matched_line: line, read } });
        }
        matching = line !== undefined;
      } catch (error) {
        fail(error);
      }
    };
    look();
    return afterOutput(session, pane, TICK_MS, look);
  };
}

function scrollFeed(session: Session, pane: Pane): Feed {
  return (push) => {
    let last = JSON.stringify(pane.terminal.scroll());
    return afterOutput(session, pane, TICK_MS, () => {
      const scroll = pane.terminal.scroll();
      const text = JSON.stringify(scroll);
      if (text === last) return;
      last = text;
      push({ event: 'pane.scroll_changed', data: { pane_id: pane.id, workspace_id: pane.workspaceId, scroll } });
    });
  };
}

function feedOf(session: Session, subscription: Subscription): Feed | undefined {
  switch (subscription.type) {
    case 'pane.agent_status_changed':
      return statusFeed(session, paneNamed(session, subscription.pane_id), subscription.agent_status ?? undefined);
    case 'pane.output_matched':
      return outputFeed(session, subscription);
    case 'pane.scroll_changed':
      return scrollFeed(session, paneNamed(session, subscription.pane_id));
    default:
      return undefined;
  }
}

export const eventMethods: Pick<Handlers, 'events.subscribe' | 'events.wait'> = {
  'events.subscribe': ({ subscriptions }, { session, ears }) => {
    const feeds = subscriptions.flatMap((subscription) => feedOf(session, subscription) ?? []);
    const names = new Set(subscriptions.flatMap(({ type }) => (isLifecycle(type) ? [wireEventName(type)] : [])));
    if (names.size > 0) feeds.unshift(lifecycleFeed(session, names));
    ears.waiting();
    return {
      result: { type: 'subscription_started' },
      stream(push, fail) {
        const failed = (error: unknown): void => {
          const code = error instanceof CallError ? error.code : 'internal_error';
          const message = error instanceof Error ? error.message : String(error);
          fail({ id: '', error: { code, message } });
        };
        const stops = feeds.map((feed) => feed(push, failed));
        return () => {
          for (const stop of stops) stop();
        };
      },
    };
  },
  'events.wait': async ({ match_event, timeout_ms }, call) => {
    const { session } = call;
    const wanted: Record<string, unknown> = match_event;
    const { event, pane_id, agent_status } = wanted;
    const known = AGENT_STATUSES.find((status) => status === agent_status);
    if (event !== 'pane_agent_status_changed' || typeof pane_id !== 'string' || known === undefined) {
      throw new CallError(
        'unsupported_event_wait_match',
        'only {event:"pane_agent_status_changed", pane_id, agent_status} can be waited for',
      );
    }
    const pane = paneNamed(session, pane_id);
    const answer = () => ({
      type: 'wait_matched' as const,
      event: {
        event: 'pane_agent_status_changed' as const,
        data: { type: 'pane_agent_status_changed' as const, ...statusChange(pane), agent_status: known },
      },
    });
    return waiting(call, timeout_ms ?? undefined, `${pane_id} did not become ${known}`, (settle) => {
      const offs = [
        session.signals.status.on((moment) => {
          if (moment.pane === pane && moment.status === known) settle(answer);
        }),
        session.signals.gone.on((removed) => {
          if (removed !== pane) return;
          settle(() => {
            throw new CallError('pane_not_found', `${pane_id} was closed before it became ${known}`);
          });
        }),
      ];
      settle(() => (statusChange(pane).agent_status === known ? answer() : undefined));
      return () => {
        for (const off of offs) off();
      };
    });
  },
};
