/** The agent machine as a table of what it sees and what then becomes visible. */
import { describe, expect, it } from 'vitest';
import {
  type AgentReport,
  clearAuthority,
  look,
  NO_AGENT,
  release,
  report,
  reportSession,
  type Sighting,
  type Step,
  screenSkipped,
  sight,
  type Track,
  type Verdict,
} from '../../embedded-herdr/agents/index.ts';

const PI: Sighting = { kind: 'agent', label: 'pi', pid: 7 };
const CODEX: Sighting = { kind: 'agent', label: 'codex', pid: 8 };
const SHELL: Sighting = { kind: 'shell' };
const OTHER: Sighting = { kind: 'other' };
const WORKING: Verdict = { state: 'working', rule: 'w' };
const BLOCKED: Verdict = { state: 'blocked', rule: 'b' };
const KEEP: Verdict = { state: 'keep', rule: 'k' };
const AFTER_GRACE = 5_000;

const told = ({ effects }: Step): string[] =>
  effects.map((effect) => {
    if (effect.type === 'state') return `${effect.from}>${effect.to}`;
    return effect.type === 'cleared' ? 'cleared' : `${effect.type} ${effect.agent}`;
  });

const settledPi = (): Track => sight(NO_AGENT, PI, 0, true).track;
const workingPi = (): Track => look(settledPi(), WORKING, AFTER_GRACE).track;

describe('sightings', () => {
  it('publish an agent at once as idle, and say it once', () => {
    const first = sight(NO_AGENT, PI, 0, true);
    expect(told(first)).toEqual(['detected pi', 'unknown>idle']);
    expect(told(sight(first.track, PI, 500, true))).toEqual([]);
  });

  it('let an agent go when the shell is back, first as idle, one round later as unknown', () => {
    const gone = sight(workingPi(), SHELL, 6_000, false);
    expect(told(gone)).toEqual(['working>idle', 'released pi']);
    expect(gone.track.agent).toBe('pi');
    const after = sight(gone.track, SHELL, 6_100, false);
    expect(told(after)).toEqual(['cleared', 'idle>unknown']);
    expect(after.track).toEqual(NO_AGENT);
  });

  it('keep an agent whose child has the foreground while it lives, and let it go when it does not', () => {
    expect(told(sight(workingPi(), OTHER, 6_000, true))).toEqual([]);
    expect(told(sight(workingPi(), OTHER, 6_000, false))).toEqual(['working>idle', 'released pi']);
  });

  it('see another agent in its place', () => {
    const next = sight(workingPi(), CODEX, 6_000, false);
    expect(told(next)).toEqual(['detected codex', 'working>idle']);
    const back = sight(sight(workingPi(), SHELL, 6_000, false).track, CODEX, 6_100, false);
    expect(told(back)).toEqual(['cleared', 'idle>unknown', 'detected codex', 'unknown>idle']);
  });

  it('say nothing of a pane without an agent', () => {
    expect(told(sight(NO_AGENT, SHELL, 0, false))).toEqual([]);
    expect(told(sight(NO_AGENT, OTHER, 0, false))).toEqual([]);
  });
});

describe('looks', () => {
  it('count for nothing during the first three seconds', () => {
    expect(told(look(settledPi(), BLOCKED, 2_999))).toEqual([]);
    expect(told(look(settledPi(), BLOCKED, 3_000))).toEqual(['idle>blocked']);
  });

  it('publish everything at once but the way from working to idle', () => {
    expect(told(look(workingPi(), BLOCKED, 6_000))).toEqual(['working>blocked']);
    expect(told(look(look(settledPi(), BLOCKED, 6_000).track, undefined, 6_100))).toEqual(['blocked>idle']);
    expect(told(look(workingPi(), { state: 'idle', rule: 'i' }, 6_000))).toEqual(['working>idle']);
  });

  it('need three confirmations, 100 ms apart, for idleness without evidence', () => {
    let step: Step = { track: workingPi(), effects: [] };
    const seen: string[] = [];
    for (const at of [6_000, 6_050, 6_100, 6_150, 6_200]) {
      step = look(step.track, undefined, at);
      seen.push(...told(step).map((what) => `${at} ${what}`));
    }
    expect(seen).toEqual(['6200 working>idle']);
  });

  it('need no more than 700 ms for it, and begin anew when work is seen again', () => {
    const begun = look(workingPi(), undefined, 6_000).track;
    expect(told(look(begun, undefined, 6_700))).toEqual(['working>idle']);
    const again = look(begun, WORKING, 6_100).track;
    expect(told(look(again, undefined, 6_800))).toEqual([]);
  });

  it('leave the state alone where a viewer hides it, and where no agent is', () => {
    expect(told(look(workingPi(), KEEP, 6_000))).toEqual([]);
    expect(told(look(NO_AGENT, BLOCKED, 6_000))).toEqual([]);
    expect(told(look(sight(workingPi(), SHELL, 6_000, false).track, WORKING, 6_050))).toEqual([]);
  });
});

describe('reports', () => {
  const custom = (state: AgentReport['state'], agent = 'homemade'): AgentReport => ({
    source: 'custom:t',
    agent,
    state,
  });

  it('make an agent of their own, which goes when the shell comes back to the front', () => {
    const step = report(NO_AGENT, custom('working'), false, 0);
    expect(told(step)).toEqual(['detected homemade', 'unknown>working']);
    expect(told(sight(step.track, SHELL, 100, false))).toEqual(['working>idle', 'released homemade']);
    const beside = report(NO_AGENT, custom('working'), true, 0);
    expect(told(sight(beside.track, SHELL, 100, false))).toEqual([]);
  });

  it('of a custom source outrank the screen, until a newer question is visible', () => {
    const reported = report(workingPi(), custom('idle', 'pi'), false, 6_000);
    expect(told(reported)).toEqual(['working>idle']);
    expect(told(look(reported.track, WORKING, 6_100))).toEqual([]);
    const asked = look(reported.track, BLOCKED, 6_200);
    expect(told(asked)).toEqual(['idle>blocked']);
    expect(told(look(asked.track, undefined, 6_300))).toEqual(['blocked>idle']);
  });

  it('of the whole-life integrations rule alone, and only while their process is there', () => {
    const mine: AgentReport = { source: 'herdr:pi', agent: 'pi', state: 'blocked' };
    expect(told(report(NO_AGENT, mine, false, 0))).toEqual([]);
    const step = report(settledPi(), mine, false, 4_000);
    expect(told(step)).toEqual(['idle>blocked']);
    expect(screenSkipped(step.track)).toBe(true);
    expect(told(look(step.track, WORKING, 5_000))).toEqual([]);
  });

  it('that give only an identity change no state; those of two sources are dropped', () => {
    const codex = sight(NO_AGENT, CODEX, 0, true).track;
    const session = { source: 'herdr:codex', agent: 'codex', kind: 'id', value: 's' } as const;
    const step = report(codex, { source: 'herdr:codex', agent: 'codex', state: 'blocked', session }, false, 1);
    expect(told(step)).toEqual([]);
    expect(step.track.session).toEqual(session);
    expect(reportSession(codex, session).session).toEqual(session);
    expect(reportSession(codex, { ...session, source: 'custom:x' }).session).toBeUndefined();
    const hermes = sight(NO_AGENT, { kind: 'agent', label: 'hermes', pid: 9 }, 0, true).track;
    expect(report(hermes, { source: 'herdr:hermes', agent: 'hermes', state: 'blocked' }, false, 1).track).toBe(hermes);
  });

  it('for another known agent than the one that runs, or after its end, are dropped', () => {
    expect(told(report(settledPi(), custom('blocked', 'codex'), false, 4_000))).toEqual([]);
    const leaving = sight(workingPi(), SHELL, 6_000, false).track;
    expect(told(report(leaving, custom('working', 'pi'), false, 6_050))).toEqual([]);
  });

  it('end by clearing and by release, each by its own source', () => {
    const step = report(NO_AGENT, custom('working'), true, 0);
    expect(told(clearAuthority(step.track, 'custom:other'))).toEqual([]);
    expect(told(clearAuthority(step.track, undefined))).toEqual(['working>idle', 'released homemade']);
    expect(told(release(step.track, 'custom:t', 'another'))).toEqual([]);
    expect(told(release(step.track, 'custom:t', 'homemade'))).toEqual(['working>idle', 'released homemade']);
    const official = report(settledPi(), { source: 'herdr:pi', agent: 'pi', state: 'working' }, false, 4_000).track;
    expect(told(release(official, 'herdr:pi', 'pi'))).toEqual([]);
  });
});
