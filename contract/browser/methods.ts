/**
 * The methods of `herdr_call` that drive a web chat, and their parameters.
 *
 * | method | what | who may |
 * |---|---|---|
 * | `herdr_mcp.browser_session.create` | a new chat beside `source_url`, or in a named account or Project, with its first message | grant |
 * | `herdr_mcp.browser_session.open` | shows a known chat in the browser | grant |
 * | `herdr_mcp.browser_session.archive` | archives a known chat, or the one whose newest user turn is `current_user_message` | grant |
 * | `herdr_mcp.browser_dispatch.submit` | one message into a known chat ("send") | grant |
 * | `herdr_mcp.browser_dispatch.stop` | stops the answer that is being written, or withdraws a dispatch that no browser has yet | grant |
 * | `herdr_mcp.browser_dispatch.status` / `.result` | what became of a dispatch; the answer's text, in pages | reads |
 * | `herdr_mcp.browser_endpoint.list` / `.inspect` | browsers, their consent and what they can do | reads |
 * | `herdr_mcp.browser_resource.list` / `.inspect` / `.resolve` | accounts, Projects, chats | reads |
 * | `herdr_mcp.browser_space.inspect`, `herdr_mcp.browser_session.inspect` / `.archive_status` | one of them | reads |
 * | `herdr_mcp.browser_source.resolve` | whose chat an address is, by refs | the person |
 * | `herdr_mcp.browser_grant.list` / `.put` / `.revoke` | which connectors may drive a chat | the person |
 *
 * A grant is attached by the door, never by words: calls at {@link LOCAL_MCP_PATH} of the private socket have it, a
 * connector has it while the person gave it one, a caller over TCP has none (`caller_grant_missing`). Then the browser's own
 * `webchat_control` consent is asked, then the generation, the adapter's protocol, and the capability.
 */
import type { Static, TObject } from 'typebox';
import * as Type from 'typebox';
import { closed } from '../extension/operation.ts';
import {
  EndpointRef,
  PROVIDER_PATTERN,
  RESOURCE_KINDS,
  RESOURCE_REF_PATTERN,
  ResourceRef,
} from '../extension/registry.ts';

/** On the private socket of the state folder (`extension.sock`), beside the extension's routes; the native host forwards nothing there. */
export const LOCAL_MCP_PATH = '/local/mcp';

export const DISPATCH_MESSAGE_BYTES_MAX = 262_144;
const DISPATCH_ID = '^bd_[0-9a-f]{64}$';
export const DispatchId = Type.String({ pattern: DISPATCH_ID, description: 'The dispatch.' });

const key = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'One key for one intention: the same key is looked up, never sent again.',
});
const generation = Type.Integer({
  minimum: 1,
  description: 'observation_generation that this was planned against (browser_endpoint.inspect).',
});
const message = Type.String({
  minLength: 1,
  maxLength: DISPATCH_MESSAGE_BYTES_MAX,
  description: 'Sent as it stands, line by line.',
});
const workChain = Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Line of work; a label.' }));
const lane = Type.Optional(Type.String({ minLength: 1, maxLength: 160, description: 'Execution lane; a label.' }));
const session = Type.String({ pattern: RESOURCE_REF_PATTERN, description: 'The chat.' });
const parentTarget = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'Local agent (name, pane id or ref) that is prompted once when the answer is complete.',
  }),
);
const waitMs = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 40_000, description: 'How long to wait for the proof. Default 30000.' }),
);
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 64, description: 'Default 32.' }));
const provider = Type.String({ pattern: PROVIDER_PATTERN, description: 'Chat site: chatgpt, claude, …' });
/** Named so that the refusal can say `unsupported` instead of a wrong parameter. */
const unsupported = {
  reasoning_effort: Type.Optional(
    Type.Unsafe<string>({ type: 'string', enum: ['economy', 'balanced', 'thorough'], description: 'Unsupported.' }),
  ),
  required_apps: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 32, description: 'Unsupported.' }),
  ),
};
const mutation = { idempotency_key: key, wait_ms: waitMs };

/** With `source_url` browser, account and Project are those of that chat; without it they are named. */
export const SessionCreate = Type.Object(
  {
    message,
    ...mutation,
    source_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'Address of the chat that the new one stands beside.',
      }),
    ),
    endpoint_ref: Type.Optional(EndpointRef),
    provider: Type.Optional(provider),
    account_ref: Type.Optional(ResourceRef),
    space_ref: Type.Optional(ResourceRef),
    expected_generation: Type.Optional(generation),
    display_label: Type.Optional(Type.String({ maxLength: 256, description: 'For lists only.' })),
    work_chain_id: workChain,
    lane_id: lane,
    parent_target: parentTarget,
    ...unsupported,
  },
  closed,
);
export type SessionCreate = Static<typeof SessionCreate>;

export const SessionOpen = Type.Object({ session_ref: session, expected_generation: generation, ...mutation }, closed);
export type SessionOpen = Static<typeof SessionOpen>;

/** Either `session_ref` with `expected_generation`, or `current_user_message` alone: its turn was seen under a generation. */
export const SessionArchive = Type.Object(
  {
    session_ref: Type.Optional(session),
    expected_generation: Type.Optional(generation),
    current_user_message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: DISPATCH_MESSAGE_BYTES_MAX,
        description:
          'The newest user message of the chat that is meant, whole and word for word; its blanks do not count.',
      }),
    ),
    ...mutation,
  },
  closed,
);
export type SessionArchive = Static<typeof SessionArchive>;

export const DispatchSubmit = Type.Object(
  {
    session_ref: session,
    message,
    expected_generation: generation,
    ...mutation,
    work_chain_id: workChain,
    lane_id: lane,
    parent_target: parentTarget,
    ...unsupported,
  },
  closed,
);
export type DispatchSubmit = Static<typeof DispatchSubmit>;

/** Exactly one of `dispatch_id` and `session_ref`. */
export const DispatchStop = Type.Object(
  {
    dispatch_id: Type.Optional(DispatchId),
    session_ref: Type.Optional(ResourceRef),
    expected_generation: generation,
    ...mutation,
  },
  closed,
);
export type DispatchStop = Static<typeof DispatchStop>;

const DispatchStatus = Type.Object({ dispatch_id: DispatchId, wait_ms: waitMs }, closed);
const DispatchResult = Type.Object(
  {
    dispatch_id: DispatchId,
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Characters to leave out at the beginning.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000, description: 'Default 20000.' })),
  },
  closed,
);

const SourceResolve = Type.Object(
  { source_url: Type.String({ minLength: 1, maxLength: 2_048, description: 'Address of a chat.' }) },
  closed,
);
const EndpointList = Type.Object({ limit }, closed);
const EndpointInspect = Type.Object({ endpoint_ref: EndpointRef }, closed);
const kind = Type.Unsafe<(typeof RESOURCE_KINDS)[number]>({ type: 'string', enum: [...RESOURCE_KINDS] });
const ResourceList = Type.Object(
  { endpoint_ref: EndpointRef, provider, kind, parent_ref: Type.Optional(ResourceRef), limit },
  closed,
);
const ResourceInspect = Type.Object({ resource_ref: ResourceRef }, closed);
const ResourceResolve = Type.Object(
  {
    endpoint_ref: EndpointRef,
    provider,
    kind,
    parent_ref: Type.Optional(ResourceRef),
    display_label: Type.String({ minLength: 1, maxLength: 256, description: 'As the list shows it, exactly.' }),
    expected_observation_generation: generation,
  },
  closed,
);
const SpaceInspect = Type.Object({ space_ref: ResourceRef }, closed);
const SessionInspect = Type.Object({ session_ref: ResourceRef }, closed);

const GrantList = Type.Object({}, closed);
const GrantChange = Type.Object(
  {
    connector_id: Type.String({ minLength: 1, maxLength: 128, description: 'As `herdr-mcp connector list` shows it.' }),
  },
  closed,
);

/** Answered `unsupported`: named in the contract, and no adapter does it. */
export const UNSUPPORTED_METHODS = [
  'herdr_mcp.browser_space.create',
  'herdr_mcp.browser_space.open',
  'herdr_mcp.browser_message.append',
  'herdr_mcp.browser_composer.set_reasoning',
  'herdr_mcp.browser_composer.set_apps',
] as const;

export const BROWSER_METHODS = {
  'herdr_mcp.browser_session.create': SessionCreate,
  'herdr_mcp.browser_session.open': SessionOpen,
  'herdr_mcp.browser_session.archive': SessionArchive,
  'herdr_mcp.browser_dispatch.submit': DispatchSubmit,
  'herdr_mcp.browser_dispatch.stop': DispatchStop,
  'herdr_mcp.browser_dispatch.status': DispatchStatus,
  'herdr_mcp.browser_dispatch.result': DispatchResult,
  'herdr_mcp.browser_endpoint.list': EndpointList,
  'herdr_mcp.browser_endpoint.inspect': EndpointInspect,
  'herdr_mcp.browser_resource.list': ResourceList,
  'herdr_mcp.browser_resource.inspect': ResourceInspect,
  'herdr_mcp.browser_resource.resolve': ResourceResolve,
  'herdr_mcp.browser_space.inspect': SpaceInspect,
  'herdr_mcp.browser_session.inspect': SessionInspect,
  'herdr_mcp.browser_session.archive_status': SessionInspect,
  'herdr_mcp.browser_source.resolve': SourceResolve,
  'herdr_mcp.browser_grant.list': GrantList,
  'herdr_mcp.browser_grant.put': GrantChange,
  'herdr_mcp.browser_grant.revoke': GrantChange,
} as const satisfies Record<string, TObject>;

export type BrowserMethod = keyof typeof BROWSER_METHODS;
