/**
 * Tables of the browser registry in `state.db`: which browsers and conversations the extension has shown, which caller was
 * proved to be which conversation, and what was dispatched into a chat. Ids of chat sites are kept as digests; the address
 * of a conversation is kept to find it again and is no identity. Times are integers, ms since 1970.
 */
import { sql } from 'drizzle-orm/sql';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export const browserEndpoints = sqliteTable(
  'browser_endpoints',
  {
    endpointRef: text('endpoint_ref').primaryKey(),
    profileSha256: text('profile_sha256').notNull(),
    deviceId: text('device_id').notNull(),
    browserFamily: text('browser_family').notNull(),
    extensionVersion: text('extension_version').notNull(),
    webchatControl: integer('webchat_control', { mode: 'boolean' }).notNull().default(false),
    toolBridge: integer('tool_bridge', { mode: 'boolean' }).notNull().default(false),
    toolBridgeMutation: integer('tool_bridge_mutation', { mode: 'boolean' }).notNull().default(false),
    consentRevision: integer('consent_revision').notNull().default(0),
    firstObservedAt: integer('first_observed_at').notNull(),
    lastObservedAt: integer('last_observed_at').notNull(),
  },
  (table) => [uniqueIndex('browser_endpoints_profile').on(table.profileSha256)],
);

/** What a browser can do on a site. The generation grows with every change. */
export const browserProviders = sqliteTable(
  'browser_provider_state',
  {
    endpointRef: text('endpoint_ref').notNull(),
    provider: text('provider').notNull(),
    adapterProtocolVersion: integer('adapter_protocol_version').notNull(),
    observationGeneration: integer('observation_generation').notNull(),
    /** JSON list of names, sorted. */
    capabilities: text('capabilities').notNull(),
    observedAt: integer('observed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.endpointRef, table.provider] })],
);

/** Accounts, their Projects, and conversations. */
export const browserResources = sqliteTable(
  'browser_resources',
  {
    resourceRef: text('resource_ref').primaryKey(),
    endpointRef: text('endpoint_ref').notNull(),
    provider: text('provider').notNull(),
    kind: text('kind').notNull(),
    /** Empty for an account. */
    parentRef: text('parent_ref').notNull().default(''),
    nativeSha256: text('native_sha256').notNull(),
    displayLabel: text('display_label').notNull().default(''),
    /** In its shortest form; null when none was given or none could be read. */
    canonicalUrl: text('canonical_url'),
    observationGeneration: integer('observation_generation').notNull(),
    firstObservedAt: integer('first_observed_at').notNull(),
    lastObservedAt: integer('last_observed_at').notNull(),
  },
  (table) => [
    index('browser_resources_endpoint').on(table.endpointRef, table.provider, table.kind),
    index('browser_resources_url').on(table.canonicalUrl),
  ],
);

/** The newest user turn of each conversation: when it was in progress and a digest of what it said, never the words. */
export const browserSourceTurns = sqliteTable(
  'browser_source_turns',
  {
    sessionRef: text('session_ref').primaryKey(),
    turnSha256: text('turn_sha256').notNull(),
    startedAt: integer('started_at').notNull(),
    /** When it was last seen to go on, or seen to have ended. */
    observedAt: integer('observed_at').notNull(),
    /** null while it goes on as far as is known. */
    endedAt: integer('ended_at'),
    /** Of this very turn and its words: beside another turn it matches nothing. Null: nobody told them. */
    textSha256: text('text_sha256'),
    /** The browser's generation when the turn was last told of. */
    observationGeneration: integer('observation_generation').notNull().default(0),
  },
  (table) => [index('browser_source_turns_observed').on(table.observedAt)],
);

/** Proved joins: this caller is this conversation. One conversation of a connector is one caller, and the other way round. */
export const browserCallers = sqliteTable(
  'browser_caller_sessions',
  {
    principalKind: text('principal_kind').notNull(),
    principalId: text('principal_id').notNull(),
    callerSession: text('caller_session').notNull(),
    sessionRef: text('session_ref').notNull(),
    /** `source_turn` or `named_url`. */
    proof: text('proof').notNull(),
    firstBoundAt: integer('first_bound_at').notNull(),
    lastBoundAt: integer('last_bound_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.principalKind, table.principalId, table.callerSession] }),
    uniqueIndex('browser_caller_sessions_session').on(table.principalKind, table.principalId, table.sessionRef),
  ],
);

/** What was asked of a browser, and what is proved of it. Both generations write here; every change names what it changes from. */
export const browserDispatches = sqliteTable(
  'browser_dispatches',
  {
    dispatchId: text('dispatch_id').primaryKey(),
    endpointRef: text('endpoint_ref').notNull(),
    provider: text('provider').notNull(),
    accountRef: text('account_ref').notNull(),
    spaceRef: text('space_ref').notNull().default(''),
    operation: text('operation').notNull(),
    /** The conversation that is meant; of a creation the one that was made, once it is proved. */
    sessionRef: text('session_ref').notNull().default(''),
    /** Of a stop: the dispatch whose answer is to end. */
    stopsDispatchId: text('stops_dispatch_id').notNull().default(''),
    /** Of an archive that was asked for by the chat's current user message: that turn, and the digest of its words. */
    sourceTurnSha256: text('source_turn_sha256'),
    sourceTextSha256: text('source_text_sha256'),
    sourceUrl: text('source_url'),
    requestSha256: text('request_sha256').notNull(),
    keySha256: text('key_sha256').notNull(),
    messageSha256: text('message_sha256'),
    /** The words, only until a browser has reported: after that nobody needs them here. */
    message: text('message'),
    expectedGeneration: integer('expected_generation').notNull(),
    principalKind: text('principal_kind').notNull(),
    principalId: text('principal_id').notNull(),
    workChainId: text('work_chain_id').notNull().default(''),
    laneId: text('lane_id').notNull().default(''),
    displayLabel: text('display_label').notNull().default(''),
    /** The local agent that is told when the answer is complete, and the dispatch that carries that; written before it is sent. */
    parentTarget: text('parent_target'),
    wakeDispatchId: text('wake_dispatch_id'),
    actuationId: text('actuation_id').notNull(),
    /** How often it was offered to a browser: again only after it was proved not to have been delivered. */
    offers: integer('offers').notNull().default(1),
    offeredAt: integer('offered_at').notNull(),
    claimant: text('claimant'),
    claimedAt: integer('claimed_at'),
    /** The consent that it was asked under; null: a person's own press, which needs none. */
    consentRevision: integer('consent_revision'),
    /** From then on something may have been typed or pressed. */
    confirmedAt: integer('confirmed_at'),
    reportedAt: integer('reported_at'),
    deliveryState: text('delivery_state').notNull(),
    executionState: text('execution_state').notNull(),
    reason: text('reason'),
    canonicalUrl: text('canonical_url'),
    /** What became of the tab in which a chat was archived. */
    tabOutcome: text('tab_outcome'),
    acceptedMessageRef: text('accepted_message_ref'),
    resultMessageRef: text('result_message_ref'),
    resultText: text('result_text'),
    resultSha256: text('result_sha256'),
    resultAt: integer('result_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('browser_dispatches_key').on(table.endpointRef, table.provider, table.operation, table.keySha256),
    uniqueIndex('browser_dispatches_actuation').on(table.actuationId),
    index('browser_dispatches_open').on(table.endpointRef, table.offeredAt).where(sql`delivery_state = 'uncertain'`),
    index('browser_dispatches_age').on(table.createdAt),
  ],
);

/** Callers from elsewhere that the person lets drive web chats. */
export const browserGrants = sqliteTable(
  'browser_grants',
  {
    principalKind: text('principal_kind').notNull(),
    principalId: text('principal_id').notNull(),
    grantedAt: integer('granted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.principalKind, table.principalId] })],
);

/** Which browser does something to a chat: `claimed`, `leaving` (Send is pressed next), `sent` or `uncertain`. */
export const browserWakes = sqliteTable(
  'browser_wakes',
  {
    conversationSha256: text('conversation_sha256').notNull(),
    /** What is done, by a name that every browser gives it: a settle was the first. */
    settle: text('settle').notNull(),
    endpointRef: text('endpoint_ref').notNull(),
    phase: text('phase').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationSha256, table.settle] }),
    index('browser_wakes_age').on(table.updatedAt),
  ],
);
