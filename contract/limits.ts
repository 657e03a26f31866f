/**
 * Numbers that two planes must agree on, each with its reason. A number that only one plane needs lives in that
 * plane's own `limits.ts`.
 */

const KiB = 1024;
const MiB = 1024 * KiB;

/** One link frame, header and payload together. workerd delivers up to 32 MiB, but a frame is what a small call waits behind. */
export const FRAME_BYTES_MAX = 1 * MiB;

/** Payload carried by one chunk of a larger result: leaves room for the frame's header under {@link FRAME_BYTES_MAX}. */
export const CHUNK_BYTES = 512 * KiB;

/** A whole result. Above it the call alone fails with `response_too_large`; the link stays up. */
export const RESULT_BYTES_MAX = 16 * MiB;

/** Results under way to one edge object at once: an object has 128 MiB of memory for everything. */
export const IN_FLIGHT_BYTES_MAX = 32 * MiB;

/** A JSON-RPC body at the edge and the arguments inside it. Hosts send far less; the limit bounds what a stranger can make us parse. */
export const BODY_BYTES_MAX = 1 * MiB;

/** A frame's JSON header. The longest legitimate one is a hello that lists what the link holds. */
export const HEADER_BYTES_MAX = 256 * KiB;

/** No call holds longer than this: web hosts give up at 60 s, and the answer needs time to travel. */
export const CALL_MS_MAX = 45_000;

/** Waits that a caller asks for are cut here, so that the answer still fits {@link CALL_MS_MAX}. */
export const WAIT_MS_MAX = 40_000;

/** How long a receipt can be looked up by its dispatch id, and how long an idempotency key is bound. */
export const RECEIPT_TTL_MS = 24 * 60 * 60 * 1000;

/** How long a finished read's result is kept for a link that has not acknowledged it yet. */
export const READ_RESULT_TTL_MS = 60_000;

/** Text that a result may carry unless the caller asks for a page: hosts reject results above about 25,000 tokens. */
export const RESULT_TEXT_CHARS = 100_000;

/** All tool descriptions together, so that the public `tools/list` stays under {@link TOOLS_LIST_BYTES_MAX}. */
export const DESCRIPTIONS_CHARS_MAX = 9_000;

/** The public `tools/list` answer: hosts cut or drop longer catalogs. */
export const TOOLS_LIST_BYTES_MAX = 24_000;

/** One tool's serialised `inputSchema`: a large host drops a tool at 16,385 bytes without a word. */
export const INPUT_SCHEMA_BYTES_MAX = 16_384;

/** The link sends the text `ping` this often; the object's auto-response answers without waking it. */
export const PING_INTERVAL_MS = 20_000;

/** Two missed pings and a margin: after this the peer counts as dead. */
export const PEER_SILENT_MS = 45_000;

/** Longest idempotency key, in characters. Only its digest travels beyond the plane that received it. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 256;
