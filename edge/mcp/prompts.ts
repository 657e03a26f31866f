/**
 * The planner's skill modules as MCP prompts: the edge answers them by itself, also while no workstation is connected,
 * from the texts that ship with the contract. No prompt takes an argument, and no text of one grants a permission.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { SKILL_MODULES } from '../../contract/skills/index.ts';
import { DISCOVER_TTL_MS } from '../limits.ts';

/** In the order in which work usually needs them. */
export function listPrompts(modern: boolean) {
  const prompts = SKILL_MODULES.map(({ id, title, description }) => ({ name: id, title, description }));
  return modern ? { prompts, ttlMs: DISCOVER_TTL_MS, cacheScope: 'private' as const } : { prompts };
}

/** Throws invalid params (-32602) for a name that is none, as the specification says. */
export function getPrompt(name: string) {
  const module = SKILL_MODULES.find(({ id }) => id === name);
  if (module === undefined) {
    const known = SKILL_MODULES.map(({ id }) => id);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt of this name.`, { known });
  }
  const { description, text } = module;
  return { description, messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
}
