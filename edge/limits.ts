/**
 * Every number of the edge's traffic half, with its reason. What another plane must know too stands in
 * `contract/limits.ts`; the identity half keeps its own beside it. Times are ms unless the name says otherwise.
 */

const SECOND = 1000;
const MiB = 1024 * 1024;

// calls

/** Calls under way to one workstation. A person's busiest turn fires a few dozen; above this something loops. */
export const PENDING_CALLS_MAX = 256;

/** A link that was seen this recently is expected back: it reconnects within seconds of a cut, a deploy or a sleep. */
export const RECONNECT_GRACE_MS = 15 * SECOND;

/** How long before the caller's deadline the edge stops waiting, so that its answer still arrives in time. */
export const ANSWER_MARGIN_MS = 500;

/** A timer that comes so much later than due shows that the process did not run; a busy one is late by less. */
export const LATE_MS = 1 * SECOND;
/** How long answers may still be heard after such a sleep, before their calls are given up. Hosts wait for 60 s. */
export const AWAKE_MS = 2 * SECOND;

/** Waits between tries to reach a workstation's object that was reset under a call. A new instance is up within 100 ms. */
export const REATTACH_DELAYS_MS: readonly number[] = [0, 50, 150, 400, 1000, 2000];

/** A finished result whose caller has not attached again yet: the Worker comes back at once or not at all. */
export const ORPHAN_RESULT_MS = 10 * SECOND;

/** Acknowledgements are gathered this long: one frame for many, and a reset meanwhile leaves the result with the link. */
export const ACK_DELAY_MS = 250;
/** Unacknowledged results above this are acknowledged at once: the link holds them in memory. */
export const ACK_BYTES_MAX = 4 * MiB;
/** Dispatch ids in one frame of acknowledgements. */
export const ACK_IDS_MAX = 256;

/** A runtime that answered this recently is being started again or switched; a start takes seconds, a migration a few more. */
export const RUNTIME_GRACE_MS = 15 * SECOND;

/** How long a look-up waits for the ledger's word on a write that was in doubt; the answer says so when none came. */
export const SETTLE_WAIT_MS = 3 * SECOND;
/** Writes in doubt that are asked about at once; the next look-up asks about more. */
export const OLD_RECEIPTS_ASKED_MAX = 256;

// the link's socket

/** A socket that sent no hello by then is closed: an honest link sends it with the first packet. */
export const HANDSHAKE_MS = 10 * SECOND;

// receipts

/** How often expired receipts are swept: one alarm a day is what an idle deployment pays. */
export const SWEEP_MS = 24 * 60 * 60 * SECOND;
/** Receipts in one answer of `herdr_mcp.dispatch.status`. */
export const RECEIPTS_LISTED_MAX = 50;
/** A connector's tombstone outlives every cached token (30 s) by far, and is then what the `Auth` object says anyway. */
export const TOMBSTONE_MS = 24 * 60 * 60 * SECOND;

// the MCP endpoint

/** A comment line on an open stream; hosts and proxies between cut a silent one after 30 to 100 s. */
export const SSE_KEEP_ALIVE_MS = 15 * SECOND;

/** How long an isolate may route by a fleet list that it has read; a refusal is decided on a fresh one. */
export const DEVICES_CACHE_MS = 10 * SECOND;

/** Workstations that one question about continuity is asked of; nobody has this many that are on at once. */
export const FAN_OUT_DEVICES_MAX = 16;
/** How long such a question waits for the slowest of them: journals answer within milliseconds, and a host waits 10 s. */
export const FAN_OUT_MS = 8 * SECOND;
/** Chains that its answer names: a person chooses among them. */
export const FAN_OUT_CANDIDATES_MAX = 32;
/** Characters of chains in its answer; the rest of it is small, so that the whole stays under 100,000. */
export const FAN_OUT_ANSWER_CHARS_MAX = 80_000;

/** Hosts cut server instructions above 2 KB (insights-mcp#340). */
export const INSTRUCTIONS_BYTES_MAX = 2048;

/** How long a host may keep what `server/discover` and `tools/list` said; the contract is frozen, a deploy may replace it. */
export const DISCOVER_TTL_MS = 60 * 60 * SECOND;

/** Longest JSON-RPC id that is echoed, in characters. Clients count or use a UUID. */
export const RPC_ID_CHARS_MAX = 256;
/** Longest conversation mark that is hashed. */
export const SESSION_MARK_CHARS_MAX = 512;
/** Names of tools offered for a misspelt one. */
export const SUGGESTIONS_MAX = 3;
/** Problems of arguments that one answer names. */
export const ARGUMENT_PROBLEMS_MAX = 5;
