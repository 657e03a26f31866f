/**
 * What the browser reports: a finalized turn of a conversation, appended once by its message id to the chain that exactly
 * owns the conversation. The caller (the extension's route) repeats until it is told that the turn is durable.
 */
import { OutcomeError } from '../../contract/outcome.ts';
import {
  type Chain,
  CONTINUITY_ID,
  type Conversation,
  inTransaction,
  type Journal,
  type Role,
  storable,
  TITLE_CHARS_MAX,
} from '../journal/index.ts';
import { candidate } from './candidates.ts';
import { OWNERS_MAX } from './limits.ts';
import { chooseOwner, type OwnerAnswer } from './owner.ts';
import { closedChain } from './refusals.ts';

export interface JournalTurn {
  conversation: Conversation;
  /** The id that the browser keeps with its binding; a new one begins a chain. */
  continuityId?: string;
  /** The provider's project, without its readable part. */
  projectId?: string;
  /** `<key of the Herdr server>/<id>`. */
  workspaceId?: string;
  title?: string;
  messageId: string;
  role: Role;
  text: string;
  observedAtMs: number;
}

export interface JournalReceipt {
  /** False when the turn was recorded before. */
  inserted: boolean;
  continuity_id: string;
  /** The turn went into another chain than the one whose id came with it: its conversation belongs there. */
  canonicalized: boolean;
  joined_by: 'binding' | 'continuity_id' | 'project' | 'new_chain';
}

/**
 * Appends the turn, durably. Throws `continuity_binding_ambiguous` (two chains claim the conversation),
 * `continuity_not_found`, `continuity_closed`, `continuity_message_conflict` (the id is taken by another text),
 * `payload_too_large`; in every case nothing was recorded.
 */
export function appendJournalTurn(journal: Journal, turn: JournalTurn, nowMs: number): JournalReceipt {
  const text = storable(turn.text, 'turn');
  if (turn.continuityId !== undefined && !IS_CONTINUITY_ID.test(turn.continuityId)) {
    throw new OutcomeError('invalid_params', 'continuity_id is no id of a chain. Nothing was recorded.', {
      next: 'Send the id that the binding holds.',
    });
  }
  return inTransaction(journal, () => {
    const { chain, joinedBy, retire } = owner(journal, turn, nowMs);
    const appended = journal.entries.appendTurn({
      chainNo: chain.chainNo,
      messageId: turn.messageId,
      provider: turn.conversation.provider,
      conversationId: turn.conversation.conversationId,
      role: turn.role,
      text,
      observedAt: turn.observedAtMs,
      recordedAt: nowMs,
    });
    if (appended.kind === 'conflict') throw messageConflict(turn.messageId, chain.continuityId);
    journal.bindings.bind(turn.conversation, chain.chainNo, turn.workspaceId ?? '', nowMs);
    if (retire) journal.bindings.retireOthers(turn.conversation, chain.chainNo, nowMs);
    describe(journal, chain, turn);
    return {
      inserted: appended.kind === 'inserted',
      continuity_id: chain.continuityId,
      canonicalized: turn.continuityId !== undefined && turn.continuityId !== chain.continuityId,
      joined_by: joinedBy,
    };
  });
}

const IS_CONTINUITY_ID = new RegExp(CONTINUITY_ID);

function owner(
  journal: Journal,
  turn: JournalTurn,
  nowMs: number,
): { chain: Chain; joinedBy: JournalReceipt['joined_by']; retire: boolean } {
  const answer = chooseOwner(question(journal, turn));
  if (answer.kind === 'create') {
    const chain = journal.chains.insert({
      continuityId: answer.continuityId,
      title: turn.title?.slice(0, TITLE_CHARS_MAX) ?? '',
      provider: turn.conversation.provider,
      projectId: turn.projectId ?? '',
      status: 'active',
      partition: null,
      createdAt: nowMs,
      updatedAt: nowMs,
    });
    return { chain, joinedBy: 'new_chain', retire: false };
  }
  if (answer.kind !== 'join') throw refusal(journal, answer, turn);
  const chain = journal.chains.byNo(answer.chainNo);
  if (!chain) throw new Error(`chain ${answer.chainNo} vanished inside a transaction`);
  return { chain, joinedBy: answer.by, retire: answer.retire };
}

function question(journal: Journal, turn: JournalTurn): Parameters<typeof chooseOwner>[0] {
  const claim = (chain: Chain) => ({
    chainNo: chain.chainNo,
    continuityId: chain.continuityId,
    active: chain.status === 'active',
  });
  const bound = new Map<number, ReturnType<typeof claim> & { workspaceIds: string[] }>();
  for (const { binding, chain } of journal.bindings.ofConversation(turn.conversation)) {
    const entry = bound.get(chain.chainNo) ?? { ...claim(chain), workspaceIds: [] };
    entry.workspaceIds.push(binding.workspaceId);
    bound.set(chain.chainNo, entry);
  }
  const given = turn.continuityId === undefined ? undefined : journal.chains.byId(turn.continuityId);
  const ofProject = turn.projectId
    ? journal.chains.ofProject(turn.projectId, turn.conversation.provider, OWNERS_MAX)
    : [];
  return {
    bound: [...bound.values()],
    given:
      turn.continuityId === undefined ? null : { continuityId: turn.continuityId, claim: given ? claim(given) : null },
    workspaceId: turn.workspaceId ?? '',
    ofProject: ofProject.map(claim).filter(({ active }) => active),
    role: turn.role,
  };
}

/** Titles and projects become known while a conversation goes on. The newest title is shown; a project stays. */
function describe(journal: Journal, chain: Chain, turn: JournalTurn): void {
  const title = turn.title?.slice(0, TITLE_CHARS_MAX) ?? '';
  if (title !== '' && title !== chain.title) journal.chains.setTitle(chain.chainNo, title);
  if (chain.projectId === '' && turn.projectId) {
    journal.chains.setProject(chain.chainNo, turn.conversation.provider, turn.projectId);
  } else if (chain.provider === '') {
    journal.chains.setProject(chain.chainNo, turn.conversation.provider, chain.projectId);
  }
}

function refusal(
  journal: Journal,
  answer: Exclude<OwnerAnswer, { kind: 'join' | 'create' }>,
  turn: JournalTurn,
): OutcomeError {
  switch (answer.kind) {
    case 'closed':
      return closedChain(answer.continuityId, 'closed');
    case 'ambiguous': {
      const chains = answer.chainNos.map((no) => journal.chains.byNo(no)).filter((chain) => chain !== undefined);
      const what = answer.among === 'bindings' ? 'The conversation is bound to' : 'The project has';
      return new OutcomeError(
        'continuity_binding_ambiguous',
        `${what} ${chains.length} active chains. Nothing was recorded: none of them is chosen.`,
        {
          delivery: 'not_delivered',
          next: 'A person chooses; send the turn with the continuity_id and workspace_id of that binding.',
          details: { candidates: chains.map((chain) => candidate(journal, chain)) },
        },
      );
    }
    case 'none':
      return new OutcomeError(
        'continuity_not_found',
        answer.why === 'needs_user_turn'
          ? 'A new conversation of a bound project joins its chain by the first turn of the person, and this is an answer. Nothing was recorded.'
          : 'Neither the conversation nor its project belongs to a chain. Nothing was recorded.',
        {
          delivery: 'not_delivered',
          next:
            answer.why === 'needs_user_turn'
              ? 'Send the turn again after the first turn of the person.'
              : 'Bind the conversation first and send the turn with the continuity_id of the binding.',
          details: { conversation_id: turn.conversation.conversationId },
        },
      );
  }
}

function messageConflict(messageId: string, continuityId: string): OutcomeError {
  return new OutcomeError(
    'continuity_message_conflict',
    `The message ${JSON.stringify(messageId)} is recorded already with another text or role. The first record stays; nothing was recorded.`,
    {
      delivery: 'not_delivered',
      next: 'A turn that was changed has a new message id; record it under that.',
      details: { continuity_id: continuityId },
    },
  );
}
