/**
 * A finalized turn as the browser sends it (`POST /extension/continuity/turn`): checked, and read as exact identities.
 * The route itself belongs to whoever serves the extension's socket.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import {
  CONTINUITY_ID_CHARS_MAX,
  ENTRY_BYTES_MAX,
  type Journal,
  type MethodContext,
  method,
  PROVIDER_ID_CHARS_MAX,
} from '../journal/index.ts';
import { appendJournalTurn, type JournalReceipt } from './append.ts';
import { namedById, namedByUrl, normalProject } from './identity.ts';
import { WORKSPACE_ID_CHARS_MAX } from './limits.ts';
import { PROVIDERS, URL_CHARS_MAX } from './url.ts';
import { storedWorkspace } from './workspace.ts';

/** An empty text says the same as none: the browser sends what its binding holds. */
const maybe = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

const TurnBody = Type.Object(
  {
    continuity_id: maybe(CONTINUITY_ID_CHARS_MAX),
    conversation_id: maybe(PROVIDER_ID_CHARS_MAX),
    conversation_url: maybe(URL_CHARS_MAX),
    provider: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...PROVIDERS] })),
    workspace_id: maybe(WORKSPACE_ID_CHARS_MAX),
    project_id: maybe(PROVIDER_ID_CHARS_MAX),
    title: maybe(4_096),
    message_id: Type.String({ minLength: 1, maxLength: PROVIDER_ID_CHARS_MAX }),
    role: Type.Unsafe<'user' | 'assistant'>({ type: 'string', enum: ['user', 'assistant'] }),
    text: Type.String({ maxLength: ENTRY_BYTES_MAX }),
    /** A mark of the browser's own, by which it knows its turns; not kept. */
    fingerprint: maybe(256),
    observed_at: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
);

/** Journals one turn. Throws an `OutcomeError`; then nothing was recorded. */
export async function acceptTurn(journal: Journal, body: unknown, context: MethodContext): Promise<JournalReceipt> {
  const checked = method('write', TurnBody, (turn) => ({ ...receive(journal, turn, context) }));
  return (await checked.run(body as Record<string, unknown>, context)) as unknown as JournalReceipt;
}

function receive(journal: Journal, turn: Static<typeof TurnBody>, context: MethodContext): JournalReceipt {
  const named = turn.conversation_url
    ? namedByUrl(turn.conversation_url)
    : namedById(turn.conversation_id ?? '', turn.provider ?? 'chatgpt', turn.project_id || undefined);
  const projectId = normalProject(turn.project_id) || named.projectId;
  return appendJournalTurn(
    journal,
    {
      conversation: { provider: named.provider, conversationId: named.conversationId },
      ...(turn.continuity_id ? { continuityId: turn.continuity_id } : {}),
      ...(projectId === '' ? {} : { projectId }),
      ...(turn.workspace_id ? { workspaceId: bindable(turn.workspace_id, context) } : {}),
      ...(turn.title ? { title: turn.title } : {}),
      messageId: turn.message_id,
      role: turn.role,
      text: turn.text,
      observedAtMs: turn.observed_at,
    },
    context.nowMs(),
  );
}

/** A turn is not lost because Herdr is away: a plain id is then kept as one of an unknown server, which matches nothing. */
function bindable(text: string, context: MethodContext): string {
  const plain = context.live.view().server === undefined && !text.includes('/') && !text.startsWith('herdr_ref_');
  return plain ? `unknown/${text}` : storedWorkspace(text, context);
}
