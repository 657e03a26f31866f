/**
 * `herdr-mcp webchat …`: a web chat driven by a person or a local agent, under the rules that the HUD and a planner have.
 * Refs name everything; there is no way to say a selector, a script, an address to go to, or a credential.
 */
import { group } from '../command.ts';
import { archive, create, open, send, stop } from './acts.ts';
import { grant, grants, revoke } from './grants.ts';
import { handoff } from './handoff.ts';
import { archiveStatus, dispatchStatus, endpoints, inspect, resources, result } from './reads.ts';

export const webchat = group('webchat', 'Web chats, driven from this workstation', {
  endpoints,
  resources,
  inspect,
  create,
  send,
  open,
  archive,
  'archive-status': archiveStatus,
  'dispatch-status': dispatchStatus,
  result,
  stop,
  handoff,
  grants,
  grant,
  revoke,
});
