/** Looking at an agent after a prompt, until something is seen or patience ends. */
import type { AgentInfo, AgentStatus } from '../../../contract/herdr/index.ts';
import { WAIT_MS_MAX } from '../../../contract/limits.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { HerdrFailure } from '../../herdr/index.ts';
import { AGENT_WATCH_MS, ANSWER_MARGIN_MS, HERDR_PING_MS } from '../../limits.ts';
import type { ToolContext } from '../context.ts';
import { type AgentState, isSameAgent, type Start, startOf, stateOf } from './turn.ts';

/** Waits until the turn is seen to begin, at most so long. `unverifiable` is known at once. */
export async function waitForStart(
  before: AgentInfo,
  submitted: AgentInfo,
  context: ToolContext,
  patienceMs: number,
): Promise<{ start: Start; after: AgentState; waitedMs: number }> {
  const began = context.nowMs();
  const until = Math.min(began + patienceMs, context.deadlineAtMs - ANSWER_MARGIN_MS);
  let after = stateOf(submitted);
  for (;;) {
    const start = startOf(stateOf(before), after);
    const now = context.nowMs();
    if (start !== 'not_seen' || now >= until) return { start, after, waitedMs: now - began };
    await pause(AGENT_WATCH_MS, context);
    const agent = await look(before, context);
    if (agent === 'gone') return { start: 'not_seen', after, waitedMs: context.nowMs() - began };
    if (agent) after = stateOf(agent);
  }
}

export interface WaitResult {
  reached: boolean;
  timedOut: boolean;
  /** How long the wait could last at most, in ms. */
  effectiveMs: number;
  /** The last state that was seen; undefined once the agent is gone. */
  state: AgentState | undefined;
}

/** Waits for one of the statuses, cut so that the answer still reaches its caller. */
export async function waitForStatus(
  agent: AgentInfo,
  wait: { until: readonly AgentStatus[]; timeoutMs: number },
  context: ToolContext,
): Promise<WaitResult> {
  const left = context.deadlineAtMs - ANSWER_MARGIN_MS - context.nowMs();
  const effectiveMs = Math.max(0, Math.min(wait.timeoutMs, WAIT_MS_MAX, left));
  const until = context.nowMs() + effectiveMs;
  let state: AgentState | undefined;
  for (;;) {
    const now = await look(agent, context);
    if (now === 'gone') return { reached: false, timedOut: false, effectiveMs, state: undefined };
    if (now) state = stateOf(now);
    if (state && wait.until.includes(state.agent_status)) return { reached: true, timedOut: false, effectiveMs, state };
    if (context.nowMs() >= until) return { reached: false, timedOut: true, effectiveMs, state };
    await pause(AGENT_WATCH_MS, context);
  }
}

/** The agent now; `gone` when its pane holds another or none; undefined when Herdr could not say this time. */
async function look(agent: AgentInfo, context: ToolContext): Promise<AgentInfo | 'gone' | undefined> {
  try {
    const now = await context.herdr.call('agent.get', { target: agent.pane_id }, { timeoutMs: HERDR_PING_MS });
    return isSameAgent(agent, now.agent) ? now.agent : 'gone';
  } catch (error) {
    if (!(error instanceof HerdrFailure)) throw error;
    return error.answered && (error.code === 'agent_not_found' || error.code === 'pane_not_found') ? 'gone' : undefined;
  }
}

async function pause(ms: number, context: ToolContext): Promise<void> {
  if (!context.signal.aborted) {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        context.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      context.signal.addEventListener('abort', done);
    });
  }
  if (context.signal.aborted) {
    throw new OutcomeError('cancelled', 'The prompt was submitted; looking at the agent was cancelled.', {
      delivery: 'delivered',
      next: 'herdr_since reports what the agent does. Do not send the prompt again.',
    });
  }
}
