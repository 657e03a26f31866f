import type { FleetAnswer, View } from '../../contract/control/index.ts';
import type { LinkReport } from '../../link/index.ts';
import type { Desired, ObservedReport } from '../../runtime-a-b/generations/index.ts';
import { START } from '../start-it.ts';
import { age } from '../terminal/index.ts';
import { countsSentence, rowText } from '../top/index.ts';
import type { RuntimeAnswer } from './runtime.ts';

/** One line about the link. A status file of a process that is gone is history and says so. */
export function linkSentence(link: LinkReport, nowMs: number): string {
  if (!link.running)
    return link.status ? `not running (last: ${link.status.state}, ${link.status.why})` : 'not running';
  if (!link.status) return `starting (pid ${link.held_by.pid})`;
  return `${link.status.state} for ${age(nowMs - link.status.since_ms)} (pid ${link.held_by.pid}): ${link.status.why}`;
}

/** One line about the runtime that the pointer names. */
export function runtimeSentence(
  answer: RuntimeAnswer,
  record: { generation: string; port: number; version: string; pid: number } | undefined,
): string {
  if (!record) return 'no generation is active';
  const which = `generation ${record.generation} on port ${record.port}`;
  switch (answer.state) {
    case 'answers':
      return `${which}, version ${answer.version ?? record.version}, pid ${record.pid}`;
    case 'absent':
      return `${which}: nothing listens there`;
    case 'unclear':
      return `${which}: ${answer.why}`;
  }
}

/** One line about who keeps all of it running, and why nothing does. */
export function supervisorSentence(
  up: ObservedReport['up'],
  observed: ObservedReport['observed'],
  desired: Desired | undefined,
): string {
  if (up) {
    const trouble = observed?.trouble ? `: ${observed.trouble}` : '';
    return `${up.name === 'start' ? 'npm start' : 'herdr-mcp up'} (pid ${up.pid}), ${observed?.state ?? 'starting'}${trouble}`;
  }
  if (desired?.running === false) return `nothing keeps it running: the user stopped it. To start it again: ${START}`;
  return `nothing keeps it running. Start it: ${START}`;
}

/** Agents that are listed one by one: what fits on a screen beside the rest. */
const AGENTS_LISTED = 12;

/** One line about Herdr and what happens in it. */
export function herdrSentence(view: View): string {
  const { state, problem } = view.herdr;
  const said = countsSentence(view.counts, view.workspaces.length);
  if (state === 'live') return said;
  const why = problem === null ? '' : ` (${problem})`;
  return state === 'stale' ? `does not answer${why}; last seen: ${said}` : `has not answered yet${why}`;
}

/** The agents, one a line, with what needs a person first. */
export function agentLines(view: View, nowMs: number): string[] {
  const order = ['blocked', 'working', 'done', 'idle', 'unknown'] as const;
  const rows = view.workspaces.flatMap((one) => one.rows.filter(({ agent }) => agent !== null));
  const sorted = order.flatMap((status) => rows.filter((row) => row.status === status));
  const rest = sorted.length - AGENTS_LISTED;
  const shown = sorted.slice(0, AGENTS_LISTED).map((row) => `          ${rowText(row, nowMs)}`);
  return rest > 0 ? [...shown, `          and ${rest} more: herdr-mcp top`] : shown;
}

/** One line about the workstations of the fleet. */
export function fleetSentence(fleet: FleetAnswer | undefined): string {
  if (fleet === undefined) return 'nobody could be asked';
  if (!fleet.ok) return `${fleet.message} ${fleet.next}`;
  const known = fleet.devices.filter(({ authorization }) => authorization !== 'revoked');
  const online = known.filter(({ connection }) => connection === 'online').length;
  return `${online} of ${known.length} workstations online: herdr-mcp worker list`;
}
