/**
 * Tables of the browser registry in `state.db`: which browsers and conversations the extension has shown, and which caller
 * was proved to be which conversation. Ids of chat sites are kept as digests; the address of a conversation is kept to find
 * it again and is no identity. Times are integers, ms since 1970.
 */
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

/** The newest user turn of each conversation: when it was in progress, never what it said. */
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
