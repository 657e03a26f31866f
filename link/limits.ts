/** Numbers that only the link needs, each with its reason. What it shares with the edge stands in contract/limits.ts. */

const KiB = 1024;
const MiB = 1024 * KiB;

// Connecting

/** A handshake that takes longer is given up: mobile networks need a few seconds for DNS, TCP and TLS together. */
export const HANDSHAKE_MS_MAX = 10_000;

/** The welcome must follow the hello within this; an edge that accepts and never answers is not connected. */
export const WELCOME_MS_MAX = 10_000;

/** A peer that trickles its answer never looks idle; this ends the attempt whatever it does. */
export const CONNECT_MS_MAX = HANDSHAKE_MS_MAX + 2_000;

/**
 * How long a hello waits to know the runtime. One that hangs is announced later, on the same socket: the edge closes a
 * socket that says nothing.
 */
export const HELLO_WAIT_MS = 1_000;

/** ws itself waits 30 s for the peer's close frame; a peer that is gone never sends one. */
export const CLOSE_MS_MAX = 500;

/** workerd delivers messages up to this. ws ends the connection above its limit, so that the limit on frames is ours. */
export const SOCKET_MESSAGE_BYTES_MAX = 32 * MiB;

/** First step of the backoff: with full jitter the first try comes within half a second, after a deploy too. */
export const BACKOFF_FIRST_MS = 500;

/** Longest wait between two tries: a person who repairs the network waits no longer than this for the link. */
export const BACKOFF_MAX_MS = 60_000;

/** A connection that lived this long was a success and the backoff starts again; one that falls at once was not. */
export const STABLE_MS = 3_000;

/** A link that was refused for its contract tries again after this even if nobody promoted anything: the edge may have changed. */
export const CONTRACT_WAIT_MS = 10 * 60_000;

/** A replaced link asks this often whether the edge has a live link: two links that both reconnect displace each other for ever. */
export const PARK_MS = 5 * 60_000;

/** Suspended devices and foreign protocols may become acceptable, but only when a person acts. */
export const REFUSED_WAIT_MS = 60_000;

/** How often a waiting link looks for a retry command or a promotion; a stat of two files. */
export const WAKE_CHECK_MS = 1_000;

/** An answer of the edge to a REST call of the link: pairing and status do little work. */
export const REST_MS_MAX = 15_000;
/** A file of at most 8 MiB to or from the edge, over a slow line. */
export const BYTES_MS_MAX = 120_000;

/** REST answers are small JSON objects. */
export const REST_BYTES_MAX = 256 * KiB;

// Liveness

/** How often the clock is looked at. A gap between two looks is how sleep shows itself. */
export const WATCH_MS = 5_000;

/** Wall clock that passed beyond the interval of {@link WATCH_MS}: above scheduling noise, below any real sleep. */
export const SLEEP_GAP_MS = 10_000;

/** After sleep a live socket answers a ping within this; a dead one would look alive for minutes. */
export const WAKE_PROBE_MS = 3_000;

// Forwarding

/** Calls handed to the runtime at once. A person's conversations rarely have ten; more only slows each of them. */
export const RUNNING_MAX = 64;

/** Calls that wait for a place among {@link RUNNING_MAX}. The edge refuses above its own 256 per device. */
export const WAITING_MAX = 256;

/**
 * A call that still waits for its place this long before its deadline is withdrawn. The edge counts from an earlier moment, and
 * on a machine where calls wait, an answer's way back takes seconds; one that comes late is told as unknown.
 */
export const WITHDRAW_MS = 3_000;

/** A call that got no answer this long after its deadline is reported as unknown: the runtime hangs, its slot must not. */
export const OVERDUE_GRACE_MS = 15_000;

/** After a lost connection the runtime is asked again for the same dispatch id, this often at first and then slower. */
export const REJOIN_FIRST_MS = 50;
export const REJOIN_MAX_MS = 1_000;

/**
 * How long a call waits for a runtime that is being started or switched before it is reported as not delivered. A start
 * takes half a second, on a busy machine a few.
 */
export const RUNTIME_WAIT_MS = 15_000;

/** Short questions to the runtime on the same machine: facts, what it holds, cancel, acknowledge. */
export const RUNTIME_ASK_MS = 5_000;

/** The runtime's pointer is looked at this often: a promotion shows within this. */
export const FACTS_CHECK_MS = 1_000;

/** The runtime itself is asked for its facts this often while its boot stays the same: a killed one shows within this. */
export const FACTS_ASK_MS = 5_000;

/** A living process that gave no facts this often in a row counts as no runtime: once may be one long garbage collection. */
export const FACTS_MISSED_MAX = 3;

/** Acknowledgements are passed to the runtime together, at most this late: one request instead of one a call. */
export const ACK_BATCH_MS = 200;

/** A living runtime takes a stream of calls within this; until then nothing was sent, so the calls ask for the active one again. */
export const STREAM_OPEN_MS = 5_000;

/** A refusal of a stream is a short JSON text; more than this in front of its body is no answer of a runtime. */
export const REFUSAL_BYTES_MAX = 64 * KiB;

/** An answer that is announced as so many times longer than the longest one is no answer of ours, and is not read. */
export const ANNOUNCED_MAX = 2;

/** How much of an answer that has no room is kept: its envelope stands in front and says what became of the call. */
export const BEGINNING_BYTES = 64 * KiB;

/** Bytes taken from a runtime's connection at once: a result of 1 MiB in a few turns, and every small answer in one. */
export const READ_BYTES = 128 * KiB;

/** Result bytes kept for the edge in memory; equal to what may be in flight, so that no reconnect can exceed it. */
export const KEPT_BYTES_MAX = 32 * MiB;

// Sending

/** Beside a chunk, room for the header of its frame: an envelope has some hundred bytes. A longer one gets memory of its own. */
export const RESULT_HEADER_BYTES = 4 * KiB;

/** How often one result is sent again on the same connection after the edge reported a gap. */
export const RESEND_MAX = 2;

// Stopping

/** SIGTERM: what runs is still answered for this long, then the link ends; the runtime keeps the rest. */
export const DRAIN_MS = 5_000;
