import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentInfo } from '../../contract/herdr/index.ts';
import { knownAgent } from '../../contract/herdr/index.ts';
import { PROMPT_ENTER_MS, PROMPT_STALL_MS } from '../limits.ts';
import { agentInfo, type Pane, type Session } from '../session/index.ts';
import { probeForeground } from '../watch/index.ts';
import { agentNamed, type Call, CallError, type Handler } from './call.ts';
import { SETTLED, statusWait } from './settle.ts';
import { keysOf, pasted, type } from './typing.ts';
import { waiting } from './waiting.ts';

/** Refuses an agent that is starting, unknown to us, or not the program that really has the foreground. */
export function requireReady(session: Session, pane: Pane): void {
  const { track, launch } = pane;
  if (launch && !launch.ready) {
    throw new CallError('agent_not_ready', `${pane.name ?? pane.id} is still starting; nothing was sent`);
  }
  if (track.agent === undefined || !knownAgent(track.agent)) {
    throw new CallError('agent_not_ready', `${pane.id} hosts no agent that is known; use pane.send_input there`);
  }
  const foreground = probeForeground(session, pane);
  if (foreground?.kind !== 'agent' || foreground.label !== track.agent) {
    throw new CallError(
      'agent_not_ready',
      `${track.agent} does not have the foreground of ${pane.id} now; nothing was sent`,
    );
  }
}

/** Prompts of one pane go out one after the other, so that no Enter lands between another's text and Enter. */
const queues = new WeakMap<Pane, Promise<void>>();

/** Writes text and, 300 ms later, Enter. `begun` is called when the text is out. */
async function submit(session: Session, pane: Pane, text: string, begun: () => void): Promise<void> {
  const before = queues.get(pane) ?? Promise.resolve();
  const turn = before.then(async () => {
    type(pane, pasted(pane, text), 'agent_prompt_failed');
    begun();
    await sleep(PROMPT_ENTER_MS);
    // Closed in between: whoever waits hears of it by the pane's end.
    if (session.panes.get(pane.id) === pane) type(pane, keysOf(pane, ['enter']).join(''), 'agent_prompt_failed');
  });
  queues.set(
    pane,
    turn.catch(() => undefined),
  );
  await turn;
}

/** Submits and answers when the text is out, before Enter has gone. A failure of the Enter can only be logged then. */
function submitAndGo(session: Session, pane: Pane, text: string): Promise<AgentInfo> {
  return new Promise((resolve, reject) => {
    let answered = false;
    submit(session, pane, text, () => {
      answered = true;
      resolve(agentInfo(session, pane));
    }).catch((error: unknown) => {
      if (answered) session.ports.log.warn({ pane: pane.id, error }, 'the Enter of a prompt could not be sent');
      else reject(error);
    });
  });
}

/** Submits and waits: first for any change of state, unless a turn was running already, then for a wanted status. */
function submitAndWait(
  call: Call,
  pane: Pane,
  text: string,
  until: NonNullable<Parameters<typeof statusWait>[2]>,
  timeoutMs: number | undefined,
): Promise<AgentInfo> {
  const { session } = call;
  const wait = statusWait(session, pane, until);
  const seqBefore = pane.stateChangeSeq;
  let moved = pane.track.state === 'working';
  const stallMs = Math.min(PROMPT_STALL_MS, timeoutMs ?? PROMPT_STALL_MS);
  const stallCode = timeoutMs !== undefined && timeoutMs <= PROMPT_STALL_MS ? 'timeout' : 'agent_prompt_stalled';
  return waiting<AgentInfo>(call, timeoutMs, 'no requested status was reached', (settle) => {
    let stall: NodeJS.Timeout | undefined;
    let submitted = false;
    const offs = [
      session.signals.status.on((moment) => {
        if (moment.pane !== pane || !submitted) return;
        moved ||= pane.stateChangeSeq > seqBefore || moment.exit;
        if (moved) settle(() => wait.at(moment));
      }),
      session.signals.shown.on((changed) => {
        if (changed === pane) settle(() => void wait.stillThere());
      }),
      session.signals.gone.on((removed) => {
        if (removed === pane) settle(() => void wait.stillThere());
      }),
    ];
    const fail = (error: unknown): void =>
      settle(() => {
        throw error;
      });
    submit(session, pane, text, () => {
      submitted = true;
    }).then(() => {
      stall = setTimeout(() => {
        if (moved) return;
        fail(
          new CallError(
            stallCode,
            `${pane.id} showed no change within ${stallMs} ms of the prompt; its text may stand unsent in the composer`,
          ),
        );
      }, stallMs);
    }, fail);
    return () => {
      clearTimeout(stall);
      for (const off of offs) off();
    };
  });
}

export const promptAgent: Handler<'agent.prompt'> = async ({ target, text, wait }, call) => {
  const { session } = call;
  const pane = agentNamed(session, target);
  if (text.trim() === '') throw new CallError('empty_agent_prompt', 'the prompt is empty; nothing was sent');
  requireReady(session, pane);
  const agent = wait
    ? await submitAndWait(call, pane, text, wait.until ?? SETTLED, wait.timeout_ms ?? undefined)
    : await submitAndGo(session, pane, text);
  return { type: 'agent_prompted', agent };
};
