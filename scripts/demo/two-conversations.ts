/**
 * A line of work that outlives its conversation: one client leaves a turn, a checkpoint and the handoff's message; another
 * one, signed in on its own, knows nothing but that message and finds the work again. It writes into Work Memory only,
 * under a partition of its own in each run.
 */
import { randomUUID } from 'node:crypto';
import type { McpParty } from './client.ts';
import { type ConversationOptions, type Step, Talk } from './talk.ts';

/** What the first conversation leaves; the demo and its test look for it in the second. */
export const LEFT = {
  said: '税の丸めを直して 🚀 Fix the tax rounding.',
  answered: 'The rounding is fixed in one place.\nNext step: run its tests',
  goal: 'rounding that is right for every currency',
  finished: 'the rounding itself',
  summary: 'The rounding is fixed; its tests have not run yet.',
} as const;

/** The first conversation. Returns its steps and the one message that the next conversation begins with. */
export async function leaveWork(
  party: McpParty,
  options: ConversationOptions,
): Promise<{ steps: Step[]; message: string; continuityId: string }> {
  const talk = new Talk(party, options);
  const call = (method: string, params: Record<string, unknown>, key?: string) =>
    talk.call('herdr_call', {
      method,
      params: JSON.stringify(params),
      ...(key === undefined ? {} : { idempotency_key: key }),
    });
  const conversation = randomUUID();
  const partition = { project_ref: 'herdr-mcp-demo', repo_id: 'demo', work_chain_id: conversation };
  const session = { ...partition, provider: 'claude', session_ref: conversation };
  const bound = await call('work_memory.bind', session);
  const turn = (role: 'user' | 'assistant', text: string) =>
    call('work_memory.append_turn', { ...session, role, text, provider_message_ref: `${conversation}-${role}` });
  await turn('user', LEFT.said);
  const last = await turn('assistant', LEFT.answered);
  const checkpoint = {
    ...partition,
    expected_checkpoint_revision: 0,
    summary: LEFT.summary,
    checkpoint_json: JSON.stringify({ goal: LEFT.goal, finished: [LEFT.finished] }),
    through_message_id: last['message_id'],
  };
  await call('work_memory.checkpoint.put', checkpoint, conversation);
  talk.say('… as if that answer had been lost: the same checkpoint with the same key');
  await call('work_memory.checkpoint.put', checkpoint, conversation);
  const prepared = await call('herdr_mcp.browser_handoff.prepare', {
    continuity_id: bound['continuity_id'],
    source_url: `https://claude.ai/chat/${conversation}`,
  });
  const { message } = prepared['handoff'] as { message: string };
  return { steps: talk.steps, message, continuityId: String(bound['continuity_id']) };
}

/** The second conversation: it does what the message says to do first. */
export async function takeUpWork(party: McpParty, message: string, say: (line: string) => void): Promise<Step[]> {
  const talk = new Talk(party, { say });
  const first = firstCallOf(message);
  await talk.call('herdr_call', first);
  // The message names the workstation: with several of them nothing else would.
  await talk.call('herdr_inspect', { device: first['device'] });
  return talk.steps;
}

/** The call that the message names as the first one, with the workstation that it names. */
function firstCallOf(message: string): Record<string, unknown> {
  const string = '("(?:[^"\\\\]|\\\\.)*")';
  const found = new RegExp(`herdr_call with device ${string}, method ${string} and params ${string}`).exec(message);
  if (!found) throw new Error(`The handoff's message does not say what to call first: ${message}`);
  const [device, method, params] = found.slice(1).map((text) => JSON.parse(text) as string);
  return { device, method, params };
}
