import { judge, look, rulesFor, type Sighting, sight, type Verdict } from '../agents/index.ts';
import {
  GRACE_MS,
  PROBE_IDENTIFIED_MS,
  PROBE_UNIDENTIFIED_MS,
  REREAD_AFTER_OUTPUT_MS,
  REREAD_IDENTIFIED_MS,
} from '../limits.ts';
import { advanceLaunch, applyStep, type Pane, type Session } from '../session/index.ts';
import { glimpse } from './glimpse.ts';
import { readGroup } from './probe.ts';

/** What was seen of one pane so far; kept beside the pane and forgotten with it. */
interface Watched {
  probedAt: number;
  group: number | undefined;
  sighting: Sighting | undefined;
  readAt: number;
  outputSeq: number;
  outputAt: number;
  judged: { seq: number; title: string; agent: string; verdict: Verdict | undefined } | undefined;
}

const unwatched = (now: number): Watched => ({
  probedAt: Number.NEGATIVE_INFINITY,
  group: undefined,
  sighting: undefined,
  readAt: Number.NEGATIVE_INFINITY,
  outputSeq: 0,
  outputAt: now,
  judged: undefined,
});

/** Whether the members of a foreground group have to be read again: they are many, and rarely other than before. */
function mustReread(watched: Watched, group: number, now: number): boolean {
  if (watched.sighting === undefined || watched.group !== group) return true;
  if (watched.sighting.kind === 'agent') return now - watched.readAt >= REREAD_IDENTIFIED_MS;
  return now - watched.outputAt < REREAD_AFTER_OUTPUT_MS;
}

function probe(session: Session, pane: Pane, watched: Watched, now: number): void {
  const { processes } = session.ports;
  watched.probedAt = now;
  const group = processes.foregroundGroup(pane.terminal.pid);
  // Not known is not gone: the last sighting stands.
  if (group === undefined) return;
  if (mustReread(watched, group, now)) {
    watched.sighting = readGroup(session, pane, group);
    watched.group = group;
    watched.readAt = now;
  }
  if (!watched.sighting) return;
  pane.foreground = watched.sighting;
  const process = pane.track.process;
  const alive = process !== undefined && processes.isAlive(process.pid);
  applyStep(session, pane, sight(pane.track, watched.sighting, now, alive));
}

function judgeScreen(session: Session, pane: Pane, watched: Watched, now: number): void {
  const { agent } = pane.track;
  if (agent === undefined) return;
  const seq = pane.terminal.outputSeq();
  const title = pane.terminal.title();
  const { judged } = watched;
  if (!judged || judged.seq !== seq || judged.title !== title || judged.agent !== agent) {
    watched.judged = { seq, title, agent, verdict: judge(rulesFor(agent), glimpse(pane)) };
  }
  applyStep(session, pane, look(pane.track, watched.judged?.verdict, now));
}

/** One round over all panes: who has the foreground where that is due, what the screens say, how starts go on. */
function watchRound(session: Session, seen: WeakMap<Pane, Watched>): void {
  const now = session.ports.now();
  for (const pane of [...session.panes.values()]) {
    let watched = seen.get(pane);
    if (!watched) {
      watched = unwatched(now);
      seen.set(pane, watched);
    }
    const seq = pane.terminal.outputSeq();
    if (seq !== watched.outputSeq) {
      watched.outputSeq = seq;
      watched.outputAt = now;
    }
    const every = pane.track.process ? PROBE_IDENTIFIED_MS : PROBE_UNIDENTIFIED_MS;
    if (pane.track.releasing || now - watched.probedAt >= every) probe(session, pane, watched, now);
    judgeScreen(session, pane, watched, now);
    advanceLaunch(session, pane, GRACE_MS);
  }
}

/** Watches until the answer is called. A round that fails is logged and the next one comes. */
export function watchPanes(session: Session, everyMs: number): () => void {
  const seen = new WeakMap<Pane, Watched>();
  let busy = false;
  const round = async (): Promise<void> => {
    if (busy || session.panes.size === 0) return;
    busy = true;
    try {
      await session.ports.processes.refresh();
      watchRound(session, seen);
    } catch (error) {
      session.ports.log.error({ error }, 'a round of watching the panes failed; the next one follows');
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void round(), everyMs);
  return () => clearInterval(timer);
}
