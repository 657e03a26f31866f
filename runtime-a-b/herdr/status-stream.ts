/**
 * Statuses of agents as Herdr reports them. Herdr has no event for the statuses of all panes (protocol 4.2), so this is
 * one connection that names each pane, opened anew when other panes have agents. It only says "look again": a turn that
 * is shorter than the time between two polls is looked at while it lasts.
 */
import type { Log } from '../../local/log/index.ts';
import { STATUS_STREAM_PANES_MAX } from '../limits.ts';
import { HerdrFailure } from './failure.ts';
import { type EventStream, subscribe } from './subscription.ts';

export interface StatusStream {
  /** The panes that have agents now. Cheap when they are the same as before. */
  follow(panes: readonly string[]): void;
  close(): void;
}

/** `onStatus` gets what an event says, or nothing when a stream has just begun and something may have been missed. */
export function statusStream(
  socketPath: string,
  log: Log,
  onStatus: (pane?: string, status?: string) => void,
): StatusStream {
  let wanted = '';
  let stream: EventStream | undefined;
  let closed = false;

  async function open(panes: readonly string[], key: string): Promise<void> {
    let next: EventStream | undefined;
    try {
      if (panes.length > 0) {
        const subscriptions = panes.map((pane_id) => ({ type: 'pane.agent_status_changed' as const, pane_id }));
        next = await subscribe(socketPath, subscriptions, (_, { pane_id, agent_status }) => {
          if (typeof pane_id === 'string' && typeof agent_status === 'string') onStatus(pane_id, agent_status);
        });
      }
    } catch (error) {
      // A pane may have gone meanwhile, or this Herdr does not know the kind: the poll still sees every status.
      const refused = error instanceof HerdrFailure && error.answered;
      if (error instanceof HerdrFailure)
        log.debug({ code: error.code }, 'Herdr does not report the statuses of agents');
      else log.error({ err: error }, 'the statuses of agents cannot be followed'); // nobody waits for this: it must not throw
      if (!refused && wanted === key) wanted = '';
      return;
    }
    if (closed || wanted !== key) {
      next?.close();
      return;
    }
    stream?.close();
    stream = next;
    void next?.ended.then(() => {
      if (stream !== next) return;
      stream = undefined;
      wanted = '';
    });
    if (next) onStatus();
  }

  return {
    follow(panes) {
      const followed = [...panes].sort().slice(0, STATUS_STREAM_PANES_MAX);
      const key = JSON.stringify(followed);
      if (closed || key === wanted || (panes.length === 0 && wanted === '')) return;
      wanted = key;
      void open(followed, key);
    },
    close() {
      closed = true;
      stream?.close();
    },
  };
}
