/** `herdr_since`: what changed after a cursor, and where everything stands now. */
import { RESULT_TEXT_CHARS } from '../../../contract/limits.ts';
import { type Change, directoryOf, type HerdrView, knownStatus, type RingEvent } from '../../herdr/index.ts';
import type { ToolContext, ToolHandler } from '../context.ts';
import type { ToolParts } from '../parts.ts';
import { scopeOf } from './scope.ts';

type Fact = Record<string, unknown>;

/** Room that is kept in the answer for agents, workspaces and what stands beside the lists. */
const FRAME_CHARS = 30_000;
/** Agents and workspaces that are listed; herdr_inspect pages through all of them. */
const LISTED_MAX = 100;

export function sinceTool(parts: ToolParts): ToolHandler {
  return async (args, context) => {
    const cursor = typeof args.cursor === 'number' ? args.cursor : 0;
    const scope = await scopeOf(args.workspace, context);
    const view = context.live.view();
    const page = parts.live.ring.since(cursor, (change) => inScope(change, scope));
    const { events, rest } = fit(page.events);
    return {
      ok: true,
      body: {
        boot_id: parts.runtime.bootId,
        generation: parts.runtime.generation,
        events: events.map((event) => eventFact(event, context)),
        ...nowFacts(view, scope),
        cursor: rest ? (events.at(-1)?.cursor ?? cursor) : page.cursor,
        ...(rest ? { truncated: true, cut: `${rest} newer events are not in this answer; its cursor continues.` } : {}),
        ...(page.gap
          ? {
              gap: true,
              note: 'Events between the given cursor and the oldest one here were dropped; look at the state with herdr_inspect.',
            }
          : {}),
        ...(page.ahead
          ? {
              restarted: true,
              note: 'The cursor belongs to an earlier boot of the runtime; counting began again with this boot_id.',
            }
          : {}),
        herdr: {
          state: view.state,
          observed_at_ms: view.observedAtMs ?? null,
          ...(view.problem ? { problem: view.problem } : {}),
        },
      },
    };
  };
}

/** Events about Herdr itself concern every workspace. */
function inScope(change: Change, scope: string | undefined): boolean {
  return scope === undefined || change.workspace_id === undefined || change.workspace_id === scope;
}

function eventFact({ cursor, at, change }: RingEvent, context: ToolContext): Fact {
  const { type, facts, ...ids } = change;
  return {
    cursor,
    at,
    type,
    ...ids,
    ...(ids.pane_id === undefined ? {} : { ref: context.ref.pane(ids.pane_id) }),
    ...facts,
  };
}

/** The oldest events that fit; `rest` counts those that are left for the next call. */
function fit(events: readonly RingEvent[]): { events: RingEvent[]; rest: number } {
  let room = RESULT_TEXT_CHARS - FRAME_CHARS;
  const taken: RingEvent[] = [];
  for (const event of events) {
    room -= JSON.stringify(event).length + EVENT_EXTRA_CHARS;
    if (room < 0 && taken.length > 0) break;
    taken.push(event);
  }
  return { events: taken, rest: events.length - taken.length };
}

/** A ref and the field names that an event gains when it is shown. */
const EVENT_EXTRA_CHARS = 160;

function nowFacts(view: HerdrView, scope: string | undefined): Fact {
  const own = <T extends { workspace_id: string }>(items: readonly T[]) =>
    items.filter((item) => scope === undefined || item.workspace_id === scope).slice(0, LISTED_MAX);
  return {
    agents: own(view.agents).map((agent) => ({
      name: agent.name ?? null,
      kind: agent.agent ?? null,
      pane: agent.pane_id,
      workspace: agent.workspace_id,
      status: knownStatus(agent.agent_status),
      state_change_seq: agent.state_change_seq ?? null,
      cwd: directoryOf(agent) ?? null,
    })),
    workspaces: own(view.workspaces).map(({ workspace_id, label }) => ({ id: workspace_id, label })),
  };
}
