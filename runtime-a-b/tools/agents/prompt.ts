/**
 * `herdr_prompt`: types a text into an agent's pane, once, and says what was seen right afterwards. Nothing here is ever
 * sent twice. What becomes of the turn stands in its task, which is written down before anything is typed. Herdr's own
 * `wait` is not used: its answer would come over a connection that a restart cuts, and an agent's exit would count as
 * success (protocol 6.6).
 */
import { AGENT_STATUSES, type AgentInfo, type AgentStatus } from '../../../contract/herdr/index.ts';
import { WAIT_MS_MAX } from '../../../contract/limits.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { findAgent, findNow, HerdrFailure, herdrOutcome } from '../../herdr/index.ts';
import { ANSWER_MARGIN_MS, ENTER_DELAY_MS, HERDR_PING_MS, START_SEEN_MS } from '../../limits.ts';
import { START_LOOK_MS } from '../../tasks/index.ts';
import type { ToolAnswer, ToolContext } from '../context.ts';
import type { Turns } from '../turns.ts';
import { inputBox } from './input-box.ts';
import { judgeTaken, type OwnPrompts } from './own-prompts.ts';
import { agentAsks, boxNotEmpty, REFUSED_BEFORE_TYPING, unsent } from './refusals.ts';
import { sanitisePrompt } from './sanitise.ts';
import type { PromptTask, Register } from './task.ts';
import { type AgentState, isSameAgent, type Start, startOf, stateOf } from './turn.ts';
import { type WaitResult, waitForStart, waitForStatus } from './watch.ts';
import { whoseText } from './whose.ts';

export interface PromptRequest {
  target: string;
  text: string;
  wait: { until: readonly AgentStatus[]; timeoutMs: number } | undefined;
}

/** Default of `wait.timeout_ms`, as the catalog says. */
const WAIT_MS_DEFAULT = 25_000;
/** What a wait means when it names no status: the turn is over or needs somebody. */
const SETTLED: readonly AgentStatus[] = ['idle', 'done', 'blocked'];

/** The request in the tool's arguments, which already fit the schema. */
export function promptRequest(args: Record<string, unknown>): PromptRequest {
  const wait = (args.wait ?? undefined) as { until?: string[]; timeout_ms?: number } | undefined;
  const until = AGENT_STATUSES.filter((status) => wait?.until?.includes(status));
  return {
    target: String(args.target),
    text: String(args.text),
    wait: wait && { until: until.length > 0 ? until : SETTLED, timeoutMs: wait.timeout_ms ?? WAIT_MS_DEFAULT },
  };
}

/** What is kept about terminals from one prompt to the next. */
export interface Panes {
  /** One prompt at a time for each pane: two inside the 300 ms before Enter would become one line (protocol 6.6). */
  turns: Turns;
  own: OwnPrompts;
}

/** `register` writes the task down; undefined for a prompt that is no work of anybody's, such as a wake. */
export async function promptAgent(
  request: PromptRequest,
  context: ToolContext,
  panes: Panes,
  register: Register | undefined,
): Promise<ToolAnswer> {
  const clean = sanitisePrompt(request.text);
  if (clean.text.trim() === '') {
    throw new OutcomeError('invalid_params', 'The prompt holds no text. Nothing was sent.', { next: 'Send a text.' });
  }
  mayPrompt(context);
  const agent = await findNow(context.live, (view) => findAgent(view, request.target, context.deviceId));
  const sending = { request, clean, own: panes.own, register };
  const sent = await panes.turns.take(agent.terminal_id, context, () => sendOnce(agent, sending, context));
  const wait = request.wait && (await waitForStatus(sent.before, request.wait, context));
  return {
    ok: true,
    body: {
      ...sent.facts,
      ...(wait || sent.start !== 'not_seen' ? statusFacts(sent.after, wait, request) : NOT_SEEN_YET),
      dispatch_id: context.dispatchId,
      ...sent.task?.facts(),
    },
  };
}

const NOT_SEEN_YET = {
  note: 'Herdr accepted it; no sign of a start yet. herdr_mcp.agent.task.status tells what becomes of it. Do not send it again.',
};

interface Sending {
  request: PromptRequest;
  clean: { text: string; removed: number };
  own: OwnPrompts;
  register: Register | undefined;
}

/** Everything that must not overlap with another prompt for this pane: look, type, see it begin. */
async function sendOnce(
  agent: AgentInfo,
  { request, clean, own, register }: Sending,
  context: ToolContext,
): Promise<{
  before: AgentInfo;
  after: AgentState;
  start: Start;
  facts: Record<string, unknown>;
  task: PromptTask | undefined;
}> {
  assertInTime(context);
  const found = await freshAgent(agent, context);
  const before = (await register?.settleEarlier(found)) ? await freshAgent(agent, context) : found;
  if (before.agent_status === 'blocked') throw agentAsks(before);
  const box = await inputBox(before, context);
  const earlier = own.of(before.terminal_id, context.nowMs());
  judgeTaken(earlier, stateOf(before));
  const whose = whoseText(box, earlier);
  if (box.state === 'draft' && (whose === 'own' || whose === 'somebody')) throw boxNotEmpty(before, box, whose);
  const task = register?.begin(before);
  const noted = own.note(before.terminal_id, clean.text, context.nowMs());
  noted.before = stateOf(before);
  const submitted = await submit(before, clean.text, context).catch((error: unknown) => {
    throw task ? task.failed(error) : error;
  });
  task?.submitted(stateOf(submitted), startOf(stateOf(before), stateOf(submitted)) === 'seen');
  const patienceMs = request.wait ? START_SEEN_MS : START_LOOK_MS;
  const started = await waitForStart(before, submitted, context, patienceMs).finally(() => task?.finish());
  noted.taken = started.start !== 'not_seen';
  const facts = {
    target: request.target,
    resolved_pane: before.pane_id,
    ref: context.ref.pane(before.pane_id),
    submitted: true,
    input_box: box.state === 'empty' ? 'empty' : 'not_judged',
    ...(clean.removed > 0 ? { removed_control_characters: clean.removed } : {}),
    before: stateOf(before),
    after: started.after,
    turn_start: started.start,
  };
  if (started.start === 'not_seen' && request.wait) {
    throw await startNotSeen(before, clean.text, { ...facts, ...task?.facts() }, started.waitedMs, context);
  }
  return { before, after: started.after, start: started.start, facts, task };
}

/** A prompt that waited behind others until its caller gave up is not typed any more. */
function assertInTime(context: ToolContext): void {
  if (!context.signal.aborted && context.nowMs() < context.deadlineAtMs - ANSWER_MARGIN_MS) return;
  const code = context.signal.aborted ? 'cancelled' : 'request_timeout';
  throw new OutcomeError(code, 'Other prompts for this pane came first and the time ran out. Nothing was sent.', {
    delivery: 'not_delivered',
    next: 'Send the prompt again.',
  });
}

/** Whether prompting is allowed and possible at all. */
function mayPrompt(context: ToolContext): void {
  if (context.policy.readOnly) {
    throw new OutcomeError('readonly_mode', 'The workstation is in read-only mode. Nothing was sent.', {
      next: 'Ask the owner to end it: policy.read_only in config.json, or HERDR_MCP_READONLY.',
    });
  }
  const { server } = context.live.view();
  if (server && server.support !== 'full') {
    throw new OutcomeError(
      'herdr_too_old',
      `Herdr ${server.version} cannot be asked to prompt agents. Nothing was sent.`,
      {
        delivery: 'not_delivered',
        next: 'Update Herdr to 0.7.5 or later; reading goes on to work.',
      },
    );
  }
}

/** The agent as Herdr knows it this moment. Refuses when it is another one than was meant, or not up yet. */
async function freshAgent(agent: AgentInfo, context: ToolContext): Promise<AgentInfo> {
  const now = await context.herdr
    .call('agent.get', { target: agent.pane_id }, { timeoutMs: HERDR_PING_MS, signal: context.signal })
    .catch((error: unknown) => {
      throw error instanceof HerdrFailure ? unsent(herdrOutcome(error, 'agent.get')) : error;
    });
  if (!isSameAgent(agent, now.agent)) {
    throw new OutcomeError(
      'agent_not_found',
      `Pane ${agent.pane_id} holds another agent than a moment ago. Nothing was sent.`,
      {
        delivery: 'not_delivered',
        next: 'Call herdr_inspect and name the agent that you mean.',
      },
    );
  }
  if (now.agent.launch_pending) {
    throw new OutcomeError('agent_not_ready', `The agent in ${agent.pane_id} is still starting. Nothing was sent.`, {
      delivery: 'not_delivered',
      next: 'Wait until herdr_inspect shows it ready, then send the prompt.',
    });
  }
  return now.agent;
}

/** Sends the prompt once. Returns the agent as Herdr showed it while accepting. */
async function submit(before: AgentInfo, text: string, context: ToolContext): Promise<AgentInfo> {
  try {
    const { agent } = await context.herdr.call('agent.prompt', { target: before.pane_id, text });
    // Enter goes out after Herdr's answer; until then nothing else may be typed into this pane.
    await new Promise((resolve) => setTimeout(resolve, ENTER_DELAY_MS));
    return agent;
  } catch (error) {
    if (!(error instanceof HerdrFailure)) throw error;
    if (error.answered && REFUSED_BEFORE_TYPING.has(error.code)) throw unsent(herdrOutcome(error, 'agent.prompt'));
    if (error.delivery === 'not_delivered') throw herdrOutcome(error, 'agent.prompt');
    throw await uncertain(before, error, context);
  }
}

async function uncertain(before: AgentInfo, failure: HerdrFailure, context: ToolContext): Promise<OutcomeError> {
  const after = await context.herdr.call('agent.get', { target: before.pane_id }, { timeoutMs: HERDR_PING_MS }).then(
    ({ agent }) => stateOf(agent),
    () => null,
  );
  const start = after && startOf(stateOf(before), after);
  return new OutcomeError(
    'delivery_uncertain',
    `Herdr's answer to the prompt was lost (${failure.message}). ${start === 'seen' ? 'The agent has begun to work since.' : 'Whether the text was typed is not known.'}`,
    {
      delivery: 'unknown',
      next: 'Look at the pane (herdr_call pane.read) before anything is sent again.',
      details: {
        resolved_pane: before.pane_id,
        before: stateOf(before),
        after: after ?? 'unknown',
        herdr_code: failure.code,
      },
      cause: failure,
    },
  );
}

async function startNotSeen(
  before: AgentInfo,
  text: string,
  facts: Record<string, unknown>,
  waitedMs: number,
  context: ToolContext,
): Promise<OutcomeError> {
  const box = await inputBox(before, context);
  const [firstLine = ''] = text.trim().split('\n');
  const unsentText = box.state === 'draft' && box.text.includes(firstLine.slice(0, TRACE_CHARS));
  const where = unsentText
    ? 'The text stands unsent in its input box.'
    : 'There is no sign of the text in its input box.';
  return new OutcomeError(
    'agent_start_not_seen',
    `Herdr accepted the prompt for ${before.pane_id}, but within ${Math.round(waitedMs)} ms nothing showed that the agent began. ${box.state === 'unknown' ? 'Its input box cannot be judged.' : where}`,
    {
      next: unsentText
        ? 'Look at the pane; herdr_call agent.send_keys with ["enter"] submits what stands there. Do not send the text again.'
        : 'Look at the pane (herdr_call pane.read) and at herdr_since before the text is sent again.',
      details: {
        ...facts,
        waited_ms: Math.round(waitedMs),
        input_box_now: unsentText ? 'holds_the_prompt' : box.state,
      },
    },
  );
}

/** So much of a prompt's first line identifies it in a box that may wrap or cut it. */
const TRACE_CHARS = 24;

function statusFacts(after: AgentState, wait: WaitResult | undefined, request: PromptRequest): Record<string, unknown> {
  if (!request.wait || !wait) {
    return {
      status: after.agent_status,
      note: 'The turn began. herdr_since reports when the agent settles; idle is no proof of success.',
    };
  }
  return {
    status: wait.state?.agent_status ?? 'gone',
    wait: {
      reached: wait.reached,
      timed_out: wait.timedOut,
      effective_timeout_ms: wait.effectiveMs,
      ...(request.wait.timeoutMs > WAIT_MS_MAX ? { requested_timeout_ms: request.wait.timeoutMs } : {}),
      ...(wait.state ? { state: wait.state } : { agent_gone: true }),
    },
    note: wait.reached
      ? 'The status was reached; it is no proof of success. Look at the result.'
      : 'The prompt was submitted; the wait ended before the status was reached. herdr_since reports what follows.',
  };
}
