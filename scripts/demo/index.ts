/** Conversations of real MCP clients with a running workstation: sign-in, tools, an agent, and work that outlives a chat. */
export { approveByPerson, approveHere, isOwnEdge } from './approve.ts';
export { type SignInPage, signIn } from './browser.ts';
export { type Connect, connectV2, type McpParty, resultText } from './client.ts';
export { converse, DISPATCHED, PROMPT } from './conversation.ts';
export { DemoOAuth } from './oauth.ts';
export { recordedSteps, recordingOf, type Said } from './recording.ts';
export type { Step } from './talk.ts';
export { LEFT, leaveWork, takeUpWork } from './two-conversations.ts';
