/** The parameters of `work_memory.*`: plain schemas that refuse unknown members. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import {
  CONTINUITY_ID_CHARS_MAX,
  CURSOR_CHARS_MAX,
  ENTRY_BYTES_MAX,
  PROVIDER_ID_CHARS_MAX,
  QUERY_CHARS_MAX,
  TAIL_TURNS_MAX,
  TITLE_CHARS_MAX,
} from '../journal/index.ts';
import {
  CHECKPOINT_BYTES_MAX,
  HITS_MAX,
  KIND_CHARS_MAX,
  PORTABLE_PATH_CHARS_MAX,
  PROJECT_REF_CHARS_MAX,
  PROVIDER_CHARS_MAX,
  REF_CHARS_MAX,
  REPO_ID_CHARS_MAX,
  SUMMARY_CHARS_MAX,
  WORK_CHAIN_ID_CHARS_MAX,
} from './limits.ts';

const name = (description: string, maxLength: number) => Type.String({ description, minLength: 1, maxLength });
const optionalName = (description: string, maxLength: number) => Type.Optional(name(description, maxLength));
const when = (description: string) => Type.Optional(Type.Integer({ description, minimum: 0 }));
const closed = { additionalProperties: false } as const;

const partition = {
  project_ref: name('Project of the partition.', PROJECT_REF_CHARS_MAX),
  repo_id: name('Repository of the partition, the same on every machine: github.com/owner/name.', REPO_ID_CHARS_MAX),
  work_chain_id: name('Line of work inside the project and repository.', WORK_CHAIN_ID_CHARS_MAX),
};
const optionalPartition = {
  project_ref: Type.Optional(partition.project_ref),
  repo_id: Type.Optional(partition.repo_id),
  work_chain_id: Type.Optional(partition.work_chain_id),
};
const source = {
  provider: optionalName('Chat provider: chatgpt, claude …', PROVIDER_CHARS_MAX),
  account_ref: optionalName('Account at the provider.', REF_CHARS_MAX),
  space_ref: optionalName('Project or space at the provider.', REF_CHARS_MAX),
  session_ref: optionalName('Conversation at the provider; needs provider.', REF_CHARS_MAX),
};

export const BindParams = Type.Object(
  {
    ...partition,
    continuity_id: optionalName(
      'Chain that gets this partition. Without it the partition’s own chain is used, or a new one is begun.',
      CONTINUITY_ID_CHARS_MAX,
    ),
    title: optionalName('Title of a new chain.', TITLE_CHARS_MAX),
    ...source,
    bound_at: when('When the session was bound, ms since 1970. Default now.'),
  },
  closed,
);

export const AppendTurnParams = Type.Object(
  {
    ...partition,
    ...source,
    provider: name('Chat provider: chatgpt, claude …', PROVIDER_CHARS_MAX),
    session_ref: name('Conversation at the provider; work_memory.bind binds it first.', REF_CHARS_MAX),
    provider_message_ref: name(
      'Id of the message at the provider; the same id is recorded once.',
      PROVIDER_ID_CHARS_MAX,
    ),
    role: Type.Unsafe<'user' | 'assistant'>({ type: 'string', enum: ['user', 'assistant'], description: 'Who spoke.' }),
    text: Type.String({ description: 'The finalized text, at most 262144 bytes.', maxLength: ENTRY_BYTES_MAX }),
    observed_at: when('When it was said, ms since 1970. Default now.'),
  },
  closed,
);

export const AppendEvidenceParams = Type.Object(
  {
    ...partition,
    ...source,
    kind: Type.String({
      description: 'What it is, one word: test_run, diff, decision …',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
      maxLength: KIND_CHARS_MAX,
    }),
    content: Type.String({ description: 'The evidence itself, at most 262144 bytes.', maxLength: ENTRY_BYTES_MAX }),
    portable_source: Type.Optional(
      Type.Object(
        {
          repo_id: name('Repository, the same on every machine.', REPO_ID_CHARS_MAX),
          commit_sha: name('Full commit id: 40 or 64 hex digits.', 64),
          repo_relative_path: name('Path inside the repository.', PORTABLE_PATH_CHARS_MAX),
          line_start: Type.Optional(Type.Integer({ description: 'First line.', minimum: 1 })),
          line_end: Type.Optional(Type.Integer({ description: 'Last line.', minimum: 1 })),
        },
        { ...closed, description: 'Where in Git it comes from.' },
      ),
    ),
    created_at: when('When it came to be, ms since 1970. Default now.'),
  },
  closed,
);
export type PortableSource = NonNullable<Static<typeof AppendEvidenceParams>['portable_source']>;

export const CheckpointParams = Type.Object(
  {
    ...partition,
    expected_checkpoint_revision: Type.Integer({
      description: 'Revision that this one was made from; 0 for the first. Another current revision refuses it.',
      minimum: 0,
    }),
    summary: name('What the work amounts to, in prose.', SUMMARY_CHARS_MAX),
    checkpoint_json: Type.String({
      description:
        'Text of one JSON object. Members that resume shows by name: goal, finished, decisions, open, identifiers {workspace, path, branch, commit, task}, constraints, next_step.',
      maxLength: CHECKPOINT_BYTES_MAX,
    }),
    through_message_id: optionalName('Last turn that it covers: a message_id of this chain.', PROVIDER_ID_CHARS_MAX),
    through_evidence_id: optionalName('Last evidence that it covers: an evidence_id of this chain.', REF_CHARS_MAX),
    created_at: when('When it was made, ms since 1970. Default now.'),
  },
  closed,
);

export const ResumeParams = Type.Object(
  {
    ...optionalPartition,
    max_turns: Type.Optional(
      Type.Integer({ description: 'Newest turns to give. Default 32.', minimum: 1, maximum: TAIL_TURNS_MAX }),
    ),
    cursor: optionalName('Goes on with older turns: older_cursor of an answer.', CURSOR_CHARS_MAX),
  },
  closed,
);

export const SearchParams = Type.Object(
  {
    ...optionalPartition,
    query: optionalName(
      'Words that must all occur; what has no space inside is found as it stands. Words match whole, word* by their beginning; Japanese, Chinese and emoji anywhere.',
      QUERY_CHARS_MAX,
    ),
    limit: Type.Optional(Type.Integer({ description: 'Hits of a page. Default 10.', minimum: 1, maximum: HITS_MAX })),
    cursor: optionalName('Goes on with the next page: next_cursor of an answer, alone.', CURSOR_CHARS_MAX),
  },
  closed,
);

export const RetentionParams = Type.Object(
  {
    ...partition,
    policy: Type.Unsafe<'retain_all' | 'reclaim_covered'>({
      type: 'string',
      enum: ['retain_all', 'reclaim_covered'],
      description: 'reclaim_covered lets bodies go that a verified checkpoint covers; retain_all keeps everything.',
    }),
  },
  closed,
);

export const ReclaimParams = Type.Object(
  {
    ...partition,
    expected_checkpoint_revision: Type.Integer({
      description: 'The checkpoint that stands for what goes; another current one refuses the call.',
      minimum: 1,
    }),
    dry_run: Type.Optional(Type.Boolean({ description: 'Only says what would go. Default true.' })),
  },
  closed,
);
