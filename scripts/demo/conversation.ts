/**
 * One conversation of a web AI with a workstation, every step with what came back. It changes nothing but what it opened
 * itself: one tab with one scripted agent, closed at the end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemoAgent } from './agent.ts';
import type { McpParty } from './client.ts';
import { type ConversationOptions, type Step, Talk } from './talk.ts';

export const PROMPT = 'Say in one line what you are.';

/** What is dispatched before the client goes. */
export const DISPATCHED = 'Go on while nobody watches.';

/** How long an agent may take to appear in its pane, in ms: a person's shell may run slow start-up files first. */
const AGENT_MS_MAX = 90_000;

/** How long the client stays away, in ms: longer than a turn of the demo's agent. */
const AWAY_MS = 6_000;

/** How long the result of a dispatch may take after that, in ms. */
const TASK_MS_MAX = 60_000;

/** Talks; returns every step. Throws at the first answer that is not `ok`, with what the workstation said. */
export async function converse(party: McpParty, options: ConversationOptions): Promise<Step[]> {
  const talk = new Talk(party, options);
  await talk.listTools();
  const inspected = await talk.call('herdr_inspect', {});
  const { workspace, root } = firstProject(inspected);
  await talk.readSomething(root);
  await talk.call('herdr_fs_grep', { root, pattern: 'the', max_matches: 50 });
  await talk.call('herdr_git', { root, action: 'status' });
  await talk.call('herdr_exec', { workspace, command: 'uname -s && git rev-parse --short HEAD', intent: 'read_only' });
  const agent = await startDemoAgent(talk, workspace, root);
  try {
    await talk.until(
      'herdr_call',
      { method: 'agent.get', params: JSON.stringify({ target: agent.pane }) },
      AGENT_MS_MAX,
    );
    await talk.call('herdr_prompt', {
      target: agent.pane,
      text: options.prompt ?? PROMPT,
      wait: { timeout_ms: 30_000 },
    });
    await talk.call('herdr_call', {
      method: 'pane.read',
      params: JSON.stringify({ pane_id: agent.pane, source: 'visible' }),
    });
    await dispatchAndGo(talk, party, agent.pane);
  } finally {
    await agent.close();
  }
  return talk.steps;
}

/** Work that goes on while nobody watches: the client dispatches, goes, comes back, and finds the result. */
async function dispatchAndGo(talk: Talk, party: McpParty, pane: string): Promise<void> {
  const sent = await talk.call('herdr_call', {
    method: 'herdr_mcp.agent.task.dispatch',
    params: JSON.stringify({ target: pane, text: DISPATCHED, idempotency_key: `demo-${Date.now()}` }),
  });
  talk.say('… the client disconnects; the agent goes on working');
  await party.close();
  await sleep(AWAY_MS);
  await party.comeBack();
  talk.say('… the client is back');
  const isThere = ({ tasks }: Record<string, unknown>) =>
    (tasks as { task_id: string }[] | undefined)?.some(({ task_id }) => task_id === sent['task_id']) === true;
  await talk.until('herdr_call', { method: 'herdr_mcp.agent.task.inbox', params: '{}' }, TASK_MS_MAX, isThere);
  await talk.call('herdr_call', {
    method: 'herdr_mcp.agent.task.ack',
    params: JSON.stringify({ task_id: sent['task_id'] }),
  });
}

/** The first workspace with a project: herdr_inspect gives the most relevant first. */
function firstProject(inspected: Record<string, unknown>): { workspace: string; root: string } {
  const workspaces = inspected['workspaces'] as { id: string; projects: { root: string }[] }[];
  for (const { id, projects } of workspaces) {
    const root = projects[0]?.root;
    if (root !== undefined) return { workspace: id, root };
  }
  throw new Error('No workspace with a project is open on the workstation. Open one in Herdr and try again.');
}
