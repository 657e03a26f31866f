/**
 * `continuity.resume`: what one chain remembers, for a conversation that begins without it. The chain is named exactly, by
 * its id or by a conversation; see `identity.ts`.
 */
import { OutcomeError } from '../../contract/outcome.ts';
import { type Chain, type Journal, type MethodContext, TAIL_TURNS, type TailPlace } from '../journal/index.ts';
import {
  latestCheckpoint,
  type Memory,
  olderCursor,
  openOlderCursor,
  partitionOfChain,
  partitionView,
  recall,
} from '../memory/index.ts';
import { workspacesOf } from './candidates.ts';
import { namedById, namedByUrl, type Resolved, resolveById, resolveConversation } from './identity.ts';
import { CONVERSATIONS_SHOWN } from './limits.ts';
import { conversationUrl } from './url.ts';

export interface ResumeGiven {
  continuity_id?: string;
  conversation_url?: string;
  conversation_id?: string;
  provider?: string;
  project_id?: string;
  max_turns?: number;
  cursor?: string;
}

export function resume(
  memory: Memory,
  given: ResumeGiven,
  context: Pick<MethodContext, 'deviceId'>,
): Record<string, unknown> {
  const { chain, matchedBy, place } = which(memory.journal, given);
  const reading = place === null ? latestCheckpoint(memory, chain) : { kind: 'none' as const };
  const workspaces = workspacesOf(memory.journal, chain.chainNo);
  const recalled = recall(memory, chain, reading.kind === 'verified' ? reading.checkpoint : null, {
    turns: given.max_turns ?? TAIL_TURNS,
    place,
    workspaces,
    evidence: false,
  });
  const partition = partitionOfChain(chain);
  return {
    continuity_id: chain.continuityId,
    device_id: context.deviceId,
    matched_by: matchedBy,
    ...(matchedBy === 'project'
      ? {
          matched_note:
            'This conversation was never journaled; its project has exactly one active chain, and this is it.',
        }
      : {}),
    title: chain.title,
    provider: chain.provider,
    project_id: chain.projectId,
    status: chain.status,
    updated_at: chain.updatedAt,
    work_memory: partition && partitionView(partition),
    workspace_ids: workspaces,
    conversations: conversationsOf(memory.journal, chain),
    // A checkpoint that cannot be believed hides nothing else: the turns are still there.
    ...(reading.kind === 'missing' || reading.kind === 'corrupt'
      ? {
          checkpoint_problem: { code: `work_memory_checkpoint_${reading.kind}`, checkpoint_revision: reading.revision },
        }
      : {}),
    ...recalled.body,
    older_cursor: olderCursor(memory.journal, chain.continuityId, recalled.older),
  };
}

/** Exactly one of the three names a chain; a cursor goes on with its own. */
function which(
  journal: Journal,
  given: ResumeGiven,
): { chain: Chain; matchedBy: Resolved['matchedBy'] | 'cursor'; place: TailPlace | null } {
  const { continuity_id, conversation_url, conversation_id, cursor } = given;
  const names = [continuity_id, conversation_url, conversation_id].filter((name) => name !== undefined).length;
  if (cursor !== undefined) {
    const opened = openOlderCursor(journal, cursor);
    if (
      conversation_url !== undefined ||
      conversation_id !== undefined ||
      (continuity_id ?? opened.continuityId) !== opened.continuityId
    ) {
      throw paramsInvalid('A cursor goes on with its own chain, so nothing else is named beside it.');
    }
    return { chain: resolveById(journal, opened.continuityId).chain, matchedBy: 'cursor', place: opened.place };
  }
  if (names === 0) {
    throw new OutcomeError(
      'continuity_id_or_url_required',
      'continuity.resume needs continuity_id, conversation_url or conversation_id. Nothing was read.',
      { next: 'Give one of them; continuity.search finds chains by project, workspace or words.' },
    );
  }
  if (names > 1)
    throw paramsInvalid('Only one of continuity_id, conversation_url and conversation_id names the chain.');
  if (conversation_id === undefined && (given.project_id !== undefined || given.provider !== undefined)) {
    throw paramsInvalid('project_id and provider go with conversation_id only.');
  }
  return { ...named(journal, given), place: null };
}

/** The chain that exactly one of the names leads to. */
export function named(journal: Journal, given: Omit<ResumeGiven, 'cursor' | 'max_turns'>): Resolved {
  if (given.continuity_id !== undefined) return resolveById(journal, given.continuity_id);
  if (given.conversation_url !== undefined) return resolveConversation(journal, namedByUrl(given.conversation_url));
  return resolveConversation(journal, namedById(given.conversation_id ?? '', given.provider, given.project_id));
}

function paramsInvalid(what: string): OutcomeError {
  return new OutcomeError('continuity_resume_params_invalid', `${what} Nothing was read.`, {
    next: 'Name the chain once.',
  });
}

function conversationsOf(journal: Journal, chain: Chain): Record<string, unknown>[] {
  const seen = new Map<string, Record<string, unknown>>();
  for (const binding of journal.bindings.ofChain(chain.chainNo, CONVERSATIONS_SHOWN * 4)) {
    const key = `${binding.provider}\n${binding.conversationId}`;
    if (seen.has(key) || seen.size === CONVERSATIONS_SHOWN) continue;
    const projectId = binding.provider === chain.provider ? chain.projectId : '';
    seen.set(key, {
      provider: binding.provider,
      conversation_id: binding.conversationId,
      url: conversationUrl(binding.provider, binding.conversationId, projectId),
      bound_at: binding.boundAt,
      ...(binding.retiredAt === null ? {} : { retired_at: binding.retiredAt }),
    });
  }
  return [...seen.values()];
}
