import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import { AGENT_STATES, AGENT_STATUSES, READ_FORMATS, READ_SOURCES, SPLIT_DIRECTIONS } from './objects.ts';

/**
 * What we may ask a Herdr, as schemas: the client builds its calls from these types, the embedded server checks them.
 * Optional fields may be absent or null, but booleans with a default, lists and maps may only be absent. Unknown keys
 * are ignored by both servers. Source: reference/herdr-protocol.md section 3 and herdr-api.schema.json.
 */

const text = Type.String();
const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const optionalCount = Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]));
const optionalNumber = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const optionalTtl = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));
const flag = Type.Optional(Type.Boolean());
const env = Type.Optional(Type.Record(Type.String(), Type.String()));
const tokens = Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]));
const status = Type.Enum([...AGENT_STATUSES]);
const source = Type.Enum([...READ_SOURCES]);
const format = Type.Optional(Type.Enum([...READ_FORMATS]));
const direction = Type.Enum([...SPLIT_DIRECTIONS]);
const statuses = Type.Optional(Type.Array(status));
const rightClick = Type.Optional(Type.Enum(['herdr', 'pane']));

const none = Type.Object({});
const workspace = Type.Object({ workspace_id: text });
const tab = Type.Object({ tab_id: text });
const pane = Type.Object({ pane_id: text });
const maybeWorkspace = Type.Object({ workspace_id: optionalText });
const maybePane = Type.Object({ pane_id: optionalText });
const target = Type.Object({ target: text });

/** How a line of output is recognised. The regex dialect is Rust's: no look-around, no back-references. */
export const OutputMatch = Type.Union([
  Type.Object({ type: Type.Literal('substring'), value: text }),
  Type.Object({ type: Type.Literal('regex'), value: text }),
]);
export type OutputMatch = Static<typeof OutputMatch>;

export const LIFECYCLE_SUBSCRIPTIONS = [
  'workspace.created',
  'workspace.updated',
  'workspace.metadata_updated',
  'workspace.renamed',
  'workspace.moved',
  'workspace.reordered',
  'workspace.closed',
  'workspace.focused',
  'worktree.created',
  'worktree.opened',
  'worktree.removed',
  'tab.created',
  'tab.closed',
  'tab.focused',
  'tab.renamed',
  'tab.moved',
  'pane.created',
  'pane.closed',
  'pane.updated',
  'pane.focused',
  'pane.moved',
  'pane.exited',
  'pane.agent_detected',
  'layout.updated',
] as const;
export type LifecycleSubscription = (typeof LIFECYCLE_SUBSCRIPTIONS)[number];

export const Subscription = Type.Union([
  Type.Object({ type: Type.Enum([...LIFECYCLE_SUBSCRIPTIONS]) }),
  Type.Object({
    type: Type.Literal('pane.agent_status_changed'),
    pane_id: text,
    agent_status: Type.Optional(Type.Union([status, Type.Null()])),
  }),
  Type.Object({
    type: Type.Literal('pane.output_matched'),
    pane_id: text,
    source,
    match: OutputMatch,
    lines: optionalCount,
    strip_ansi: flag,
  }),
  Type.Object({ type: Type.Literal('pane.scroll_changed'), pane_id: text }),
]);
export type Subscription = Static<typeof Subscription>;

const reporter = { pane_id: text, source: text, agent: text, seq: optionalCount };
const nativeSession = { agent_session_id: optionalText, agent_session_path: optionalText };
const place = { cwd: optionalText, focus: flag, env };
const read = { source, lines: optionalCount, format, strip_ansi: flag };

/** The parameters of every method that we send or that the embedded server builds. */
export const METHOD_PARAMS = {
  ping: none,
  'server.stop': none,
  'session.snapshot': none,
  'notification.show': Type.Object({
    title: text,
    body: optionalText,
    position: Type.Optional(
      Type.Union([Type.Enum(['top-left', 'top-right', 'bottom-left', 'bottom-right']), Type.Null()]),
    ),
    sound: Type.Optional(Type.Enum(['none', 'done', 'request'])),
  }),
  'workspace.list': none,
  'workspace.get': workspace,
  'workspace.create': Type.Object({ ...place, label: optionalText }),
  'workspace.focus': workspace,
  'workspace.rename': Type.Object({ workspace_id: text, label: text }),
  'workspace.close': workspace,
  'workspace.report_metadata': Type.Object({
    workspace_id: text,
    source: text,
    tokens,
    seq: optionalCount,
    ttl_ms: optionalTtl,
  }),
  'worktree.list': Type.Object({ workspace_id: optionalText, cwd: optionalText }),
  'worktree.create': Type.Object({
    workspace_id: optionalText,
    cwd: optionalText,
    branch: optionalText,
    base: optionalText,
    path: optionalText,
    label: optionalText,
    focus: flag,
  }),
  'worktree.open': Type.Object({
    workspace_id: optionalText,
    cwd: optionalText,
    path: optionalText,
    branch: optionalText,
    label: optionalText,
    focus: flag,
  }),
  'worktree.remove': Type.Object({ workspace_id: text, force: flag }),
  'tab.list': maybeWorkspace,
  'tab.get': tab,
  'tab.create': Type.Object({ ...place, workspace_id: optionalText, label: optionalText }),
  'tab.focus': tab,
  'tab.rename': Type.Object({ tab_id: text, label: text }),
  'tab.close': tab,
  'pane.list': maybeWorkspace,
  'pane.get': pane,
  'pane.current': Type.Object({ caller_pane_id: optionalText }),
  'pane.split': Type.Object({
    ...place,
    target_pane_id: optionalText,
    workspace_id: optionalText,
    direction,
    ratio: optionalNumber,
    right_click: rightClick,
  }),
  'pane.close': pane,
  'pane.focus': pane,
  'pane.rename': Type.Object({ pane_id: text, label: optionalText }),
  'pane.layout': maybePane,
  'pane.process_info': maybePane,
  'pane.read': Type.Object({ pane_id: text, ...read }),
  'pane.send_text': Type.Object({ pane_id: text, text }),
  'pane.send_keys': Type.Object({ pane_id: text, keys: Type.Array(text) }),
  'pane.send_input': Type.Object({
    pane_id: text,
    text: Type.Optional(text),
    keys: Type.Optional(Type.Array(text)),
  }),
  'pane.wait_for_output': Type.Object({
    pane_id: text,
    source,
    match: OutputMatch,
    lines: optionalCount,
    timeout_ms: optionalCount,
    strip_ansi: flag,
  }),
  'pane.report_agent': Type.Object({
    ...reporter,
    ...nativeSession,
    state: Type.Enum([...AGENT_STATES]),
    message: optionalText,
  }),
  'pane.report_agent_session': Type.Object({ ...reporter, ...nativeSession, session_start_source: optionalText }),
  'pane.report_metadata': Type.Object({
    pane_id: text,
    source: text,
    agent: optionalText,
    applies_to_source: optionalText,
    title: optionalText,
    display_agent: optionalText,
    state_labels: Type.Optional(Type.Record(Type.String(), Type.String())),
    tokens: Type.Optional(tokens),
    clear_title: flag,
    clear_display_agent: flag,
    clear_state_labels: flag,
    seq: optionalCount,
    ttl_ms: optionalTtl,
  }),
  'pane.clear_agent_authority': Type.Object({ pane_id: text, source: optionalText, seq: optionalCount }),
  'pane.release_agent': Type.Object(reporter),
  'agent.list': none,
  'agent.get': target,
  'agent.read': Type.Object({ target: text, ...read }),
  'agent.explain': target,
  'agent.send_keys': Type.Object({ target: text, keys: Type.Array(text) }),
  'agent.rename': Type.Object({ target: text, name: optionalText }),
  'agent.focus': target,
  'agent.start': Type.Object({
    name: text,
    kind: text,
    pane_id: text,
    args: Type.Optional(Type.Array(text)),
    timeout_ms: optionalCount,
  }),
  'agent.prompt': Type.Object({
    target: text,
    text,
    wait: Type.Optional(Type.Union([Type.Object({ until: statuses, timeout_ms: optionalCount }), Type.Null()])),
  }),
  'agent.wait': Type.Object({ target: text, until: statuses, timeout_ms: optionalCount }),
  'events.subscribe': Type.Object({ subscriptions: Type.Array(Subscription) }),
  'events.wait': Type.Object({ match_event: Type.Object({ event: text }), timeout_ms: optionalCount }),
} satisfies Record<string, TSchema>;

export type HerdrMethod = keyof typeof METHOD_PARAMS;
export type HerdrParams = { [M in HerdrMethod]: Static<(typeof METHOD_PARAMS)[M]> };
