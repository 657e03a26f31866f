import { type AgentSessionInfo, type AgentState, knownAgent } from '../../contract/herdr/index.ts';
import { GRACE_MS, IDLE_CONFIRM_AT_MOST_MS, IDLE_CONFIRM_EVERY_MS, IDLE_CONFIRMATIONS } from '../limits.ts';
import { authorityKind, isOfficial } from './authority.ts';
import type { Verdict } from './rule.ts';

/** Who owns the terminal's foreground right now. `other` is a program that is neither a shell nor a known agent. */
export type Sighting = { kind: 'agent'; label: string; pid: number } | { kind: 'shell' } | { kind: 'other' };

interface Report {
  source: string;
  state: AgentState;
  at: number;
  /** A report made while the shell itself had the foreground does not end when the shell has it. */
  besideShell: boolean;
}

/** What is known of the agent in one pane. A value: every function below gives a new one. */
export interface Track {
  /** The published label. */
  agent: string | undefined;
  state: AgentState;
  /** The process that was recognised; absent for an agent that is known only by a report. */
  process: { label: string; pid: number; since: number } | undefined;
  report: Report | undefined;
  session: AgentSessionInfo | undefined;
  /** The agent has left and its last status stands for one more round. */
  releasing: boolean;
  /** Looks that saw nothing of a turn while it is still published as working. */
  idleLooks: { since: number; last: number; count: number } | undefined;
  /** Since when a question is visible. */
  blockerSince: number | undefined;
}

/** What became visible by a step, in order. */
export type TrackEffect =
  | { type: 'detected'; agent: string }
  | { type: 'state'; from: AgentState; to: AgentState; sameAgent: boolean }
  | { type: 'released'; agent: string }
  | { type: 'cleared' };

export interface Step {
  track: Track;
  effects: TrackEffect[];
}

export const NO_AGENT: Track = {
  agent: undefined,
  state: 'unknown',
  process: undefined,
  report: undefined,
  session: undefined,
  releasing: false,
  idleLooks: undefined,
  blockerSince: undefined,
};

const isKnown = (label: string | undefined): boolean => label !== undefined && knownAgent(label) !== undefined;

const still = (track: Track): Step => ({ track, effects: [] });

function toState(track: Track, to: AgentState, effects: TrackEffect[] = []): Step {
  if (track.state === to) return { track, effects };
  return {
    track: { ...track, state: to, idleLooks: undefined },
    effects: [...effects, { type: 'state', from: track.state, to, sameAgent: true }],
  };
}

/** The agent is here: published at once as idle, or with the state that its report gives. */
function arrive(track: Track, label: string, process: Track['process'], state: AgentState): Step {
  const next: Track = { ...track, agent: label, process, state, releasing: false, idleLooks: undefined };
  const effects: TrackEffect[] = [{ type: 'detected', agent: label }];
  if (track.state !== state || track.agent !== label) {
    effects.push({ type: 'state', from: track.state, to: state, sameAgent: track.agent === label });
  }
  return { track: next, effects };
}

/** The agent has left: its last status is idle, and one round later nothing is known of the pane. */
function leave(track: Track, agent: string): Step {
  const settled = toState(track, 'idle');
  return {
    track: { ...settled.track, process: undefined, report: undefined, releasing: true },
    effects: [...settled.effects, { type: 'released', agent }],
  };
}

function clear(track: Track): Step {
  const effects: TrackEffect[] = [{ type: 'cleared' }];
  if (track.state !== 'unknown') effects.push({ type: 'state', from: track.state, to: 'unknown', sameAgent: false });
  return { track: NO_AGENT, effects };
}

const after = (first: Step, then: (track: Track) => Step): Step => {
  const second = then(first.track);
  return { track: second.track, effects: [...first.effects, ...second.effects] };
};

/** Takes in who has the foreground. `processAlive` tells whether the agent last seen still runs (behind a child of its own). */
export function sight(track: Track, sighting: Sighting, now: number, processAlive: boolean): Step {
  if (track.releasing) return after(clear(track), (next) => sight(next, sighting, now, false));
  if (sighting.kind === 'agent') {
    const { label, pid } = sighting;
    if (track.process?.label === label) {
      return still(track.process.pid === pid ? track : { ...track, process: { ...track.process, pid } });
    }
    const process = { label, pid, since: now };
    // A label that is no known agent's is a wrapper's own report: the process inside does not take it away.
    const keepsLabel = track.agent === label || (track.report !== undefined && !isKnown(track.agent));
    if (keepsLabel) return still({ ...track, process });
    const fresh: Track = { ...track, report: undefined, session: undefined, blockerSince: undefined };
    return arrive(fresh, label, process, 'idle');
  }
  if (track.agent === undefined) return still(track);
  const gone = track.process ? sighting.kind === 'shell' || !processAlive : false;
  if (gone) return leave(track, track.agent);
  if (!track.process && sighting.kind === 'shell' && track.report && !track.report.besideShell) {
    return leave(track, track.agent);
  }
  return still(track);
}

/** Whether a report, not the screen, says what this agent does. */
function reportRules(track: Track): boolean {
  if (!track.report) return false;
  return authorityKind(track.report.source) !== 'exclusive' || track.process !== undefined;
}

/** Whether screen rules are switched off because the agent's own integration reports its whole life. */
export function screenSkipped(track: Track): boolean {
  return track.report !== undefined && reportRules(track) && authorityKind(track.report.source) === 'exclusive';
}

/** Takes in what the rules make of the screen; `undefined` is a known agent's screen that no rule matches. */
export function look(track: Track, verdict: Verdict | undefined, now: number): Step {
  if (track.agent === undefined || track.releasing || verdict?.state === 'keep') return still(track);
  if (track.process && now - track.process.since < GRACE_MS && !track.report) return still(track);
  const blocked = verdict?.state === 'blocked';
  const seen: Track = { ...track, blockerSince: blocked ? (track.blockerSince ?? now) : undefined };
  if (seen.report && reportRules(seen)) {
    const overruled =
      authorityKind(seen.report.source) === 'custom' &&
      seen.blockerSince !== undefined &&
      seen.blockerSince > seen.report.at;
    return toState(seen, overruled ? 'blocked' : seen.report.state);
  }
  if (!seen.process) return still(seen);
  if (verdict) return toState({ ...seen, idleLooks: undefined }, verdict.state as AgentState);
  if (seen.state !== 'working') return toState(seen, 'idle');
  const looks = seen.idleLooks ?? { since: now, last: Number.NEGATIVE_INFINITY, count: 0 };
  const counts = now - looks.last >= IDLE_CONFIRM_EVERY_MS;
  const next = counts ? { since: looks.since, last: now, count: looks.count + 1 } : looks;
  if (next.count >= IDLE_CONFIRMATIONS || now - next.since >= IDLE_CONFIRM_AT_MOST_MS) return toState(seen, 'idle');
  return still({ ...seen, idleLooks: next });
}

export interface AgentReport {
  source: string;
  agent: string;
  state: AgentState;
  session?: AgentSessionInfo;
}

/**
 * Takes in a report of a hook. A report that may not be believed changes nothing and is no error: wrong agent for the
 * process that runs, a source without authority, an integration whose agent is not there.
 */
export function report(track: Track, given: AgentReport, shellInFront: boolean, now: number): Step {
  const kind = authorityKind(given.source);
  const seen = given.session ? { ...track, session: given.session } : track;
  if (track.releasing || kind === 'ignored') return still(track);
  if (track.process && track.process.label !== given.agent && isKnown(given.agent)) return still(track);
  if (kind === 'identity_only') return still(track.process ? seen : track);
  if (kind === 'exclusive' && !track.process) return still(track);
  const authority: Report = { source: given.source, state: given.state, at: now, besideShell: shellInFront };
  const next: Track = { ...seen, report: authority, blockerSince: undefined };
  if (next.agent !== given.agent) return arrive(next, given.agent, next.process, given.state);
  return toState(next, given.state);
}

/** Stores the native session of an official source; changes no state. */
export function reportSession(track: Track, session: AgentSessionInfo): Track {
  if (!isOfficial(session.source) || track.process?.label !== session.agent) return track;
  return { ...track, session };
}

/** Ends a report's authority: process and screen decide again; an agent known only by it is gone. */
export function clearAuthority(track: Track, source: string | undefined): Step {
  if (!track.report || (source !== undefined && track.report.source !== source)) return still(track);
  const { process, agent } = track;
  if (!process && agent !== undefined) return leave(track, agent);
  const next: Track = { ...track, report: undefined };
  return process && process.label !== agent ? arrive(next, process.label, process, 'idle') : still(next);
}

/** `pane.release_agent`: ends a custom source's authority; an official one's agent is released by its process's end. */
export function release(track: Track, source: string, agent: string): Step {
  if (isOfficial(source) || track.agent !== agent) return still(track);
  return clearAuthority(track, source);
}
