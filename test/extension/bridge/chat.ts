/** A chat of z.ai, and what a model writes there to call tools. */
import type { PageIdentity } from '../../../extension/page.ts';
import type { Message } from '../../../extension/site/index.ts';

export const CHAT = 'https://chat.z.ai/c/1111';
export const zaiChat = (conversation = CHAT): PageIdentity => ({
  site: 'zai',
  place: 'conversation',
  conversation,
  project: 'none',
  url: conversation,
  title: 'A chat',
});

export const call = (tool: string, args: Record<string, unknown> = {}): string => JSON.stringify({ tool, args });
export const fenced = (...calls: readonly string[]): string => `\`\`\`json\n${calls.join('\n')}\n\`\`\``;

/** The results in our messages of a chat, each list as it stands there. */
export const toldIn = (thread: readonly Message[]): unknown[][] =>
  thread
    .filter(({ role, text }) => role === 'user' && text.includes('\nTOOL_RESULT:\n'))
    .map(({ text }) => JSON.parse(text.split('\nTOOL_RESULT:\n')[1]?.split('\n\nUSER_TASK:')[0] ?? '') as unknown[]);
