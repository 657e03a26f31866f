/** The conversation API in the two shapes that the site has answered with: a list of messages, or a tree of nodes. */
import type { Conversation, Turn } from '../base/truth.ts';

export type SnapshotShape = 'list' | 'tree';

export function snapshot(conversation: Conversation, shape: SnapshotShape): unknown {
  const common = {
    conversation_id: conversation.id,
    title: conversation.title,
    is_archived: conversation.archived,
    gizmo_id: conversation.project,
    update_time: conversation.updatedAtMs / 1000,
  };
  const messages = conversation.turns.map(message);
  if (shape === 'list') return { ...common, messages };
  const root = { id: 'root', message: null, parent: null, children: messages.slice(0, 1).map(({ id }) => id) };
  const mapping: Record<string, unknown> = { root };
  messages.forEach((each, at) => {
    mapping[each.id] = {
      id: each.id,
      message: each,
      parent: at === 0 ? 'root' : messages[at - 1]?.id,
      children: messages.slice(at + 1, at + 2).map(({ id }) => id),
    };
  });
  return { ...common, mapping, current_node: messages.at(-1)?.id ?? 'root' };
}

function message(turn: Turn) {
  const finished = turn.status === 'finished_successfully';
  return {
    id: turn.id,
    author: { role: turn.role },
    create_time: turn.createdAtMs / 1000,
    update_time: null,
    status: turn.status === 'interrupted' ? 'in_progress' : turn.status,
    end_turn: turn.role === 'assistant' ? finished : null,
    content: { content_type: 'text', parts: [turn.text] },
    metadata: finished && turn.role === 'assistant' ? { finish_details: { type: 'stop' } } : {},
  };
}
