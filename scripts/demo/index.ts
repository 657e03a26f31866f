/** One conversation of a real MCP client with a running workstation: sign-in, tools, and a prompt to an agent. */
export { approveByPerson, approveHere, isOwnEdge } from './approve.ts';
export { type SignInPage, signIn } from './browser.ts';
export { type Connect, connectV2, type McpParty, resultText } from './client.ts';
export { converse, DISPATCHED, PROMPT, type Step } from './conversation.ts';
export { DemoOAuth } from './oauth.ts';
