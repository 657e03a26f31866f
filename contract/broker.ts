/**
 * What the runtime and the folder broker say to each other. A call has a connection of its own: the broker greets with
 * one line, the runtime asks with one line, the broker answers with one line and closes. The greeting comes first, so
 * that a runtime that needs a newer broker asks nothing of an old one.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { OUTCOME_CODES } from './outcome.ts';

/** What this source's broker can do. 4 is the first that serves directories without version control too. */
export const BROKER_REVISION = 4;

/** The tools that it serves: it reads and never changes anything. */
export const BROKER_TOOLS: ReadonlySet<string> = new Set([
  'herdr_fs_read',
  'herdr_fs_list',
  'herdr_fs_grep',
  'herdr_fs_image',
  'herdr_git',
]);

/** Longest question, in bytes: arguments are small, and 500 panes make about 60 kB of directories. */
export const BROKER_ASK_BYTES_MAX = 1024 * 1024;

/** Longest answer, in bytes: what a result may weigh on its further way (16 MiB). */
export const BROKER_ANSWER_BYTES_MAX = 16 * 1024 * 1024;

export const BrokerGreeting = Type.Object({
  broker: Type.Literal('herdr-mcp'),
  revision: Type.Integer({ minimum: 1 }),
});

/** A directory that Herdr shows open, as the runtime knows it by name. */
export const BrokerDirectory = Type.Object({ workspace_id: Type.String(), pane_id: Type.String(), cwd: Type.String() });
export type BrokerDirectory = Static<typeof BrokerDirectory>;

export const BrokerAsk = Type.Object({
  tool: Type.String({ maxLength: 64 }),
  args: Type.Record(Type.String(), Type.Unknown()),
  directories: Type.Array(BrokerDirectory),
  /** Herdr confirms these directories now. */
  live: Type.Boolean(),
});
export type BrokerAsk = Static<typeof BrokerAsk>;

const Block = Type.Union([
  Type.Object({ type: Type.Literal('image'), data: Type.String(), mimeType: Type.String() }),
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
]);

export const BrokerAnswer = Type.Union([
  Type.Object({
    ok: Type.Literal(true),
    body: Type.Record(Type.String(), Type.Unknown()),
    blocks: Type.Optional(Type.Array(Block)),
  }),
  Type.Object({
    ok: Type.Literal(false),
    code: Type.Enum(Object.keys(OUTCOME_CODES) as (keyof typeof OUTCOME_CODES)[]),
    message: Type.String(),
    next: Type.String(),
    delivery: Type.Enum(['not_delivered', 'delivered', 'unknown']),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
]);
export type BrokerAnswer = Static<typeof BrokerAnswer>;
