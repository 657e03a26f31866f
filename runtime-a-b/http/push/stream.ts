/**
 * `GET /push/events`: a server-sent event stream. It begins with `retry` and `hello`, which is the whole state; then come
 * the events after it. Each event's id is `<boot_id>:<number>`: a reader who sends it back as `Last-Event-ID` gets what he
 * missed, once; without it, or after a restart, `hello` alone tells him where everything stands.
 */
import { PUSH_KEEP_ALIVE_MS, PUSH_RETRY_MS, PUSH_UNREAD_BYTES_MAX } from '../../limits.ts';
import type { PushEvent } from './facts.ts';
import type { NumberedEvent, PassingEvent, PushFeed } from './feed.ts';

const PUSH_PROTOCOL = 'herdr-mcp-push/v1';

export interface Filters {
  agent?: string;
  pane?: string;
  workspace?: string;
}

/** The filters of a query string; an empty one is none. */
export function filtersOf(query: URLSearchParams): Filters {
  const filters: Filters = {};
  for (const name of ['agent', 'pane', 'workspace'] as const) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  return filters;
}

/** An agent is meant by its name or its kind. What is about Herdr itself concerns everybody. */
function passes(event: Pick<PushEvent, 'workspace' | 'pane' | 'agent'>, filters: Filters): boolean {
  const { workspace, pane, agent } = event;
  if (workspace === undefined && pane === undefined && agent === undefined) return true;
  if (filters.workspace !== undefined && workspace !== filters.workspace) return false;
  if (filters.pane !== undefined && pane !== filters.pane) return false;
  return filters.agent === undefined || (agent ?? []).includes(filters.agent);
}

/** The number to go on after, when the id is one of this boot. */
function resumeAfter(lastId: string | null, bootId: string): number | undefined {
  const [boot, number] = (lastId ?? '').split(':');
  return boot === bootId && /^\d{1,15}$/.test(number ?? '') ? Number(number) : undefined;
}

/** Answers with the stream. It ends when its reader goes, when he does not read, or when the runtime stops. */
export async function pushStream(feed: PushFeed, filters: Filters, lastId: string | null): Promise<Response> {
  await feed.ready();
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let over = false;
        const write = (text: string) => {
          if (over) return;
          controller.enqueue(encoder.encode(text));
          keepAlive.refresh();
          if ((controller.desiredSize ?? 0) < 0) finish();
        };
        const keepAlive = setInterval(() => write(': keep-alive\n\n'), PUSH_KEEP_ALIVE_MS);
        const send = (event: NumberedEvent | PassingEvent) => {
          const id = event.number === null ? null : `${bootId}:${event.number}`;
          if (passes(event, filters)) write(sse(event.type, event.data, id));
        };
        end = () => {
          over = true;
          clearInterval(keepAlive);
          unsubscribe();
          forget();
        };
        const finish = () => {
          end();
          controller.close();
        };
        // State, missed events and subscription in one turn: nothing can happen between them.
        const unsubscribe = feed.subscribe(send);
        const forget = feed.onClose(finish);
        const state = feed.state();
        const bootId = state.boot_id;
        const from = resumeAfter(lastId, bootId);
        const missed = from === undefined ? [] : (feed.after(from) ?? []);
        // Cut in the middle of the replay, the reader must not believe that he has had the rest.
        const position = missed.length > 0 ? from : state.state_seq;
        write(`retry: ${PUSH_RETRY_MS}\n${sse('hello', hello(state, filters), `${bootId}:${position}`)}`);
        missed.forEach(send);
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: PUSH_UNREAD_BYTES_MAX }),
  );
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

function hello(state: ReturnType<PushFeed['state']>, filters: Filters) {
  const { boot_id, state_seq, server_time, herdr } = state;
  const { workspace } = filters;
  return {
    protocol: PUSH_PROTOCOL,
    server_time,
    boot_id,
    state_seq,
    herdr,
    filters,
    agents: state.agents.filter((fact) =>
      passes(
        { workspace: fact.workspace, pane: fact.pane, agent: [fact.name, fact.agent].filter((text) => text !== null) },
        filters,
      ),
    ),
    workspaces: state.workspaces.filter(({ id }) => workspace === undefined || id === workspace),
  };
}

/** JSON has no raw newline, so one `data` line is enough. */
function sse(type: string, data: object, id: string | null): string {
  const numbered = id === null ? '' : `id: ${id}\n`;
  return `${numbered}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
