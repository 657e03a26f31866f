export type { MethodContext } from './journal/index.ts';
export { conversationUrl, projectIdOf, readConversationUrl } from './url.ts';
