/**
 * A chain as one file: lines of JSON, the last of which seals all others with their sha256. It holds everything that the
 * chain remembers, in the order in which it was recorded, and nothing of this machine. Pure reading and writing of lines;
 * the files themselves and the database are in `export.ts` and `import.ts`.
 */
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { CONTINUITY_ID } from './journal/index.ts';

export const FILE_FORMAT = 'herdr-mcp-chain';
export const FILE_VERSION = 1;

const text = Type.String();
const time = Type.Integer({ minimum: 0 });
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const source = { provider: text, account_ref: text, space_ref: text, session_ref: text };

export const HeadLine = Type.Object({
  format: Type.Literal(FILE_FORMAT),
  version: Type.Literal(FILE_VERSION),
  continuity_id: Type.String({ pattern: CONTINUITY_ID }),
  title: text,
  provider: text,
  project_id: text,
  status: Type.Union([Type.Literal('active'), Type.Literal('closed')]),
  partition: Type.Union([Type.Object({ project_ref: text, repo_id: text, work_chain_id: text }), Type.Null()]),
  retention_policy: text,
  checkpoint_revision: time,
  created_at: time,
  updated_at: time,
});
const BindingLine = Type.Object({
  t: Type.Literal('binding'),
  provider: text,
  conversation_id: text,
  bound_at: time,
  retired_at: orNull(time),
});
const SessionLine = Type.Object({ t: Type.Literal('session'), ...source, bound_at: time });
const TurnLine = Type.Object({
  t: Type.Literal('turn'),
  message_id: Type.String({ minLength: 1 }),
  ...source,
  conversation_id: text,
  message_ref: text,
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
  observed_at: time,
  sha256: hash,
  bytes: time,
  text: orNull(text),
});
const EvidenceLine = Type.Object({
  t: Type.Literal('evidence'),
  evidence_id: Type.String({ minLength: 1 }),
  kind: text,
  ...source,
  portable_repo_id: orNull(text),
  portable_commit_sha: orNull(text),
  portable_path: orNull(text),
  portable_line_start: orNull(time),
  portable_line_end: orNull(time),
  created_at: time,
  sha256: hash,
  content: text,
});
const CheckpointLine = Type.Object({
  t: Type.Literal('checkpoint'),
  revision: Type.Integer({ minimum: 1 }),
  summary: text,
  checkpoint_json: text,
  through_message_id: orNull(text),
  through_evidence_id: orNull(text),
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
