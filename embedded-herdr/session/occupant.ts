import type { Step } from '../agents/index.ts';
import { paneInfo, statusOf } from './describe.ts';
import type { Pane } from './model.ts';
import { isShown, type Session } from './session.ts';

/** Tells subscribers that a pane shows something else now. */
export function paneUpdated(session: Session, pane: Pane): void {
  session.ports.ring.append({
    event: 'pane_updated',
    data: { type: 'pane_updated', pane: paneInfo(session, pane) },
  });
  session.signals.shown.emit(pane);
}

/** The name belongs to the occupant that left; its start-up goes with it. */
function dropName(session: Session, pane: Pane): void {
  if (pane.name === undefined && pane.launch === undefined) return;
  pane.name = undefined;
  pane.launch = undefined;
  paneUpdated(session, pane);
}

/**
 * Makes a step of the agent machine visible: the seen flag, the names, the events, and the signals that waiters hear,
 * in the order of the effects. Source: reference/herdr-protocol.md 2.8 and 4.5.
 */
export function applyStep(session: Session, pane: Pane, step: Step): void {
  pane.track = step.track;
  const { ring } = session.ports;
  const place = { pane_id: pane.id, workspace_id: pane.workspaceId };
  for (const effect of step.effects) {
    switch (effect.type) {
      case 'state': {
        session.stateCounter += 1;
        pane.stateChangeSeq = session.stateCounter;
        const finished =
          effect.to === 'idle' &&
          (effect.from === 'working' || effect.from === 'blocked' || (effect.from === 'unknown' && effect.sameAgent));
        if (effect.to !== 'idle') pane.seen = true;
        else if (finished) pane.seen = isShown(session, pane);
        // Of this effect, not of the step's end: a status that is only passed through is heard too.
        session.signals.status.emit({
          pane,
          status: effect.to === 'idle' && !pane.seen ? 'done' : effect.to,
          exit: false,
        });
        break;
      }
      case 'detected':
        if (pane.launch?.kind !== effect.agent) dropName(session, pane);
        ring.append({
          event: 'pane_agent_detected',
          data: { type: 'pane_agent_detected', ...place, agent: effect.agent },
        });
        break;
      case 'released': {
        const status = statusOf(pane);
        session.signals.status.emit({ pane, status, exit: true });
        dropName(session, pane);
        ring.append({
          event: 'pane_agent_detected',
          data: { type: 'pane_agent_detected', ...place, agent: effect.agent, released: true, final_status: status },
        });
        break;
      }
      case 'cleared':
        pane.presentation = { title: undefined, displayAgent: undefined, stateLabels: {}, tokens: {} };
        pane.seen = true;
        break;
    }
  }
  if (step.effects.length > 0) session.signals.shown.emit(pane);
}

/** Moves a start forward: ready when its kind runs, the grace is over and it waits; lost when its time is up. */
export function advanceLaunch(session: Session, pane: Pane, graceMs: number): void {
  const { launch, track } = pane;
  if (!launch || launch.ready) return;
  const now = session.ports.now();
  const running = track.process?.label === launch.kind && !track.releasing;
  const waits = track.state === 'idle' || track.state === 'blocked';
  if (running && now - launch.startedAt >= graceMs && (waits || now >= launch.deadline)) {
    launch.ready = true;
    paneUpdated(session, pane);
  } else if (now >= launch.deadline) dropName(session, pane);
}

/** Marks the agents of a tab as seen: it is shown now. Only per-pane subscribers notice. */
export function markSeen(session: Session, panes: readonly Pane[]): void {
  for (const pane of panes) {
    if (pane.seen) continue;
    pane.seen = true;
    session.signals.status.emit({ pane, status: statusOf(pane), exit: false });
    session.signals.shown.emit(pane);
  }
}

/** The pane that an agent target means: an exact name or a canonical pane id that hosts an agent. */
export function agentTarget(session: Session, target: string): Pane | undefined {
  const named = [...session.panes.values()].find((pane) => pane.name === target);
  if (named) return named;
  const pane = session.panes.get(target);
  return pane && (pane.track.agent !== undefined || pane.name !== undefined) ? pane : undefined;
}
