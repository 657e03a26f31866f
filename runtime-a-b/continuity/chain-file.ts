/**
 * A chain as one file: lines of JSON, the last of which seals all others with their sha256. It holds everything that the
 * chain remembers, in the order in which it was recorded, and nothing of this machine. Pure reading and writing of lines;
 * the files themselves and the database are in `export.ts` and `import.ts`.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { CONTINUITY_ID, ENTRY_BYTES_MAX, PROVIDER_ID_CHARS_MAX, TITLE_CHARS_MAX } from '../journal/index.ts';
import {
  KIND_CHARS_MAX,
  PORTABLE_PATH_CHARS_MAX,
  PROJECT_REF_CHARS_MAX,
  PROVIDER_CHARS_MAX,
  REF_CHARS_MAX,
  REPO_ID_CHARS_MAX,
  SUMMARY_CHARS_MAX,
  WORK_CHAIN_ID_CHARS_MAX,
} from '../memory/index.ts';

export const FILE_FORMAT = 'herdr-mcp-chain';
export const FILE_VERSION = 1;

// A file is anybody's: every name in it is bounded as it is at the doors that record one by one.
const text = Type.String();
const short = (maxLength: number) => Type.String({ maxLength });
const named = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const providerId = short(PROVIDER_ID_CHARS_MAX);
const time = Type.Integer({ minimum: 0 });
/** sha256 in hex, the longer of Git's two kinds. */
const COMMIT_ID_CHARS_MAX = 64;
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const source = {
  provider: short(PROVIDER_CHARS_MAX),
  account_ref: short(REF_CHARS_MAX),
  space_ref: short(REF_CHARS_MAX),
  session_ref: short(REF_CHARS_MAX),
};

export const HeadLine = Type.Object({
  format: Type.Literal(FILE_FORMAT),
  version: Type.Literal(FILE_VERSION),
  continuity_id: Type.String({ pattern: CONTINUITY_ID }),
  title: short(TITLE_CHARS_MAX),
  provider: short(PROVIDER_CHARS_MAX),
  project_id: providerId,
  status: Type.Union([Type.Literal('active'), Type.Literal('closed')]),
  partition: Type.Union([
    Type.Object({
      project_ref: named(PROJECT_REF_CHARS_MAX),
      repo_id: named(REPO_ID_CHARS_MAX),
      work_chain_id: named(WORK_CHAIN_ID_CHARS_MAX),
    }),
    Type.Null(),
  ]),
  retention_policy: short(KIND_CHARS_MAX),
  checkpoint_revision: time,
  created_at: time,
  updated_at: time,
});
const BindingLine = Type.Object({
  t: Type.Literal('binding'),
  provider: short(PROVIDER_CHARS_MAX),
  conversation_id: named(PROVIDER_ID_CHARS_MAX),
  bound_at: time,
  retired_at: orNull(time),
});
const SessionLine = Type.Object({ t: Type.Literal('session'), ...source, bound_at: time });
const TurnLine = Type.Object({
  t: Type.Literal('turn'),
  message_id: named(PROVIDER_ID_CHARS_MAX),
  ...source,
  conversation_id: providerId,
  message_ref: providerId,
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
  observed_at: time,
  sha256: hash,
  bytes: Type.Integer({ minimum: 0, maximum: ENTRY_BYTES_MAX }),
  text: orNull(text),
});
const EvidenceLine = Type.Object({
  t: Type.Literal('evidence'),
  evidence_id: named(REF_CHARS_MAX),
  kind: named(KIND_CHARS_MAX),
  ...source,
  portable_repo_id: orNull(named(REPO_ID_CHARS_MAX)),
  portable_commit_sha: orNull(named(COMMIT_ID_CHARS_MAX)),
  portable_path: orNull(named(PORTABLE_PATH_CHARS_MAX)),
  portable_line_start: orNull(time),
  portable_line_end: orNull(time),
  created_at: time,
  sha256: hash,
  content: text,
});
const CheckpointLine = Type.Object({
  t: Type.Literal('checkpoint'),
  revision: Type.Integer({ minimum: 1 }),
  summary: named(SUMMARY_CHARS_MAX),
  checkpoint_json: text,
  through_message_id: orNull(named(PROVIDER_ID_CHARS_MAX)),
  through_evidence_id: orNull(named(REF_CHARS_MAX)),
  created_at: time,
  sha256: hash,
});
const EndLine = Type.Object({ t: Type.Literal('end'), lines: time, sha256: hash });

export type HeadLine = Static<typeof HeadLine>;
export type BodyLine =
  | Static<typeof BindingLine>
  | Static<typeof SessionLine>
  | Static<typeof TurnLine>
  | Static<typeof EvidenceLine>
  | Static<typeof CheckpointLine>;
export type EndLine = Static<typeof EndLine>;

const BODY = {
  binding: BindingLine,
  session: SessionLine,
  turn: TurnLine,
  evidence: EvidenceLine,
  checkpoint: CheckpointLine,
} as const;

/** What one line after the first one is, or why it is nothing. */
export type LineReading = { ok: true; line: BodyLine | EndLine } | { ok: false };

export function readHead(line: string): HeadLine | null {
  const value = parse(line);
  return Value.Check(HeadLine, value) ? value : null;
}

export function readLine(line: string): LineReading {
  const value = parse(line);
  const kind = typeof value === 'object' && value !== null && 't' in value ? value.t : undefined;
  if (kind === 'end') return Value.Check(EndLine, value) ? { ok: true, line: value } : { ok: false };
  if (typeof kind !== 'string' || !Object.hasOwn(BODY, kind)) return { ok: false };
  return Value.Check(BODY[kind as keyof typeof BODY], value) ? { ok: true, line: value as BodyLine } : { ok: false };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
