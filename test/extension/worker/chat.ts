/** A chat of ChatGPT, its Project, its quiet page, and the agent behind it, as tests name them. */
import type { Fresh } from '../../../extension/machines/worker/index.ts';
import type { PageState } from '../../../extension/messages.ts';
import type { PageIdentity } from '../../../extension/page.ts';

export const CHAT = 'https://chatgpt.com/c/11111111-aaaa';
export const QUIET: PageState = { busy: false, draft: false, card: false, visible: true };

export const chat = (conversation = CHAT, project: PageIdentity['project'] = 'none'): PageIdentity => ({
  site: 'chatgpt',
  place: 'conversation',
  conversation,
  project,
  url: conversation,
  title: 'A chat',
});

export const project = (id = 'g-p-0123456789abcdef0123456789abcdef') => ({
  key: `https://chatgpt.com/g/${id}`,
  id,
  name: 'Plans',
});

/** The first workspace's agent, as the runtime says what it does when it is asked anew. */
export const agentNow = (status: string, seq: number) => ({
  pane: 'w1:p1',
  terminal: 'term_w1:p1',
  name: 'pi',
  agent: 'pi',
  status,
  workspace: 'w1',
  cwd: null,
  terminal_title: null,
  seq,
  last_activity_at: 0,
});

/** The live state as a runtime tells it first: one workspace, and no agent in it. */
export const FRESH: Fresh = {
  boot: 'b1',
  server: 'embedded',
  herdr: 'live',
  workspaces: [{ id: 'w1', label: 'site' }],
  agents: [],
};
