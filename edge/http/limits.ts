/** Every number of the edge's identity half, with its reason. Times are ms unless the name says otherwise. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// bodies and addresses

/** Fleet requests are a few short fields; more is a mistake or an attack. */
export const ADMIN_BODY_BYTES = 8 * 1024;
/** Registrations of real apps are under 2 KiB; logos and policies are links. */
export const REGISTRATION_BODY_BYTES = 16 * 1024;
/** A token request is a code, a verifier and at most a signed assertion. */
export const TOKEN_BODY_BYTES = 32 * 1024;
/** The whole query of an authorization request. */
export const AUTHORIZE_QUERY_CHARS = 16 * 1024;
/** One parameter of it: the longest honest ones are `state` values of large hosts. */
export const AUTHORIZE_PARAMETER_CHARS = 4096;

// registration

/** Redirect addresses of one registered client: the largest known app lists five. */
export const REDIRECT_URIS_MAX = 8;
/** Registrations from one address. A host registers once or twice a connect (claude-ai-mcp#966). */
export const REGISTRATIONS_PER_MINUTE = 10;
/** Registered clients that own no grant. Bounds what strangers can make us store. */
export const UNGRANTED_CLIENTS_MAX = 256;
/** How long a client without a grant lives: a sign-in takes minutes. */
export const UNGRANTED_CLIENT_MS = 60 * MINUTE;

// client metadata documents

/** Largest document read, as the draft recommends. */
export const DOCUMENT_BYTES = 5 * 1024;
/** Largest key set read for a signed client assertion. */
export const KEY_SET_BYTES = 64 * 1024;
/** How long a client's host may take, body included. */
export const DOCUMENT_TIMEOUT_MS = 10 * SECOND;
/** A document is asked for again after what its `Cache-Control` says, inside these bounds. */
export const DOCUMENT_FRESH_MS_MIN = 5 * MINUTE;
export const DOCUMENT_FRESH_MS_MAX = 1 * DAY;
/** While a client's host is down its last good document goes on serving refreshes this long. */
export const DOCUMENT_STALE_MS_MAX = 7 * DAY;
/** Documents kept. Above it the oldest one of an app without a grant goes. */
export const DOCUMENTS_MAX = 256;
/** New documents fetched for one address a minute: each is a request that a stranger makes us send. */
export const DOCUMENT_FETCHES_PER_MINUTE = 10;

/** Longest life of a signed client assertion in seconds, and how far two clocks may lie apart (RFC 7523 leaves both open). */
export const ASSERTION_LIFETIME_S = 3600;
export const ASSERTION_LEEWAY_S = 60;
/** RSA keys below this prove nothing any more. */
export const RSA_BITS_MIN = 2048;
/** Keys of one set that are tried for a signature. */
export const KEYS_TRIED_MAX = 16;

// tokens

/** Hosted clients do not refresh in the middle of a turn (claude-ai-mcp#228), and revocation is immediate anyway. */
export const ACCESS_TOKEN_S = 8 * 60 * 60;
/** A connector that does not refresh for this long is idle and ends. */
export const REFRESH_TOKEN_S = 30 * 24 * 60 * 60;
/** How long a spent code or refresh token is answered with the same bytes: covers a lost answer and parallel refreshes. */
export const REPLAY_GRACE_MS = 60 * SECOND;
/** How long a spent secret is remembered, so that its reuse still ends the family. */
export const SPENT_MEMORY_MS = 30 * DAY;
/** Token requests from one address a minute; a host's egress serves many people. */
export const TOKEN_REQUESTS_PER_MINUTE = 300;
/** How long an isolate may trust a validated token without asking; only for calls that meet a tombstone later. */
export const TOKEN_CACHE_MS = 30 * SECOND;
/** Tokens remembered by one isolate. */
export const TOKEN_CACHE_MAX = 2000;
/** Longest bearer looked at. Ours are about 110 characters. */
export const BEARER_CHARS_MAX = 512;

/** A CI job's token: it can ask for another one, so it lives as long as one job. */
export const AUTOMATION_TOKEN_S = 60 * 60;
/** Automation clients that are not revoked: more is a loop that makes them. */
export const AUTOMATIONS_MAX = 64;

// approvals

/** How long a sign-in page waits for its approval. */
export const REQUEST_MS = 10 * MINUTE;
/** Wrong codes that lock a request for good: five of a million. */
export const CODE_TRIES = 5;
/** Sign-ins open at once: what a person can still tell apart in a list. */
export const OPEN_REQUESTS_MAX = 8;
/** New sign-in pages from one address a minute. */
export const AUTHORIZE_PER_MINUTE = 30;
/** How often the page asks whether it was approved. */
export const POLL_MS = 2 * SECOND;
/** The library keeps an unused authorization code this long. */
export const CODE_LIFETIME_MS = 10 * MINUTE;

/** Questions of sign-in pages from one address a minute: all eight open pages asking every two seconds. */
export const POLLS_PER_MINUTE = 240;
/** The page's question about its request: two short strings. */
export const POLL_BODY_BYTES = 1024;
/** Characters of an app's name that a page or a terminal line shows. */
export const APP_NAME_CHARS = 80;

// connectors

/** `last_used_at_ms` is written at most this often: storage writes cost money. */
export const LAST_USED_WRITE_MS = 1 * DAY;
/** A connector that nobody used for this long ends. */
export const CONNECTOR_IDLE_MS = 30 * DAY;
/** Ended connectors stay listed this long, so that a person can see what happened. */
export const ENDED_CONNECTOR_MS = 90 * DAY;
/** How often a revocation that some workstation has not confirmed is tried again. */
export const REVOKE_RETRY_MS = 1 * MINUTE;
/** How long a workstation that links is told of principals that have ended: as long as its own object remembers them. */
export const ENDED_PRINCIPAL_MS = 1 * DAY;
/** How often expired rows are swept. */
export const SWEEP_MS = 1 * DAY;

// fleet

/** Wrong attempts with the operator secret or a pairing code from one address a minute. */
export const GUESSES_PER_MINUTE = 10;
/** How long a pairing address and code live. */
export const PAIRING_MS = 10 * MINUTE;
/** Pairings open at once. */
export const OPEN_PAIRINGS_MAX = 4;
/** How far a token's times may lie beside the edge's clock, in seconds: rounding and transit. */
export const CLOCK_LEEWAY_S = 5;
/** Device requests of one device a minute. */
export const DEVICE_REQUESTS_PER_MINUTE = 120;

/** How long a device's object may take to say whether it is connected. It answers from memory. */
export const PRESENCE_MS = 3 * SECOND;
/** After a link's end calls may still wait for its return; longer than any call lives. */
export const LINK_ENDED_LATELY_MS = 1 * MINUTE;

/** Artifacts that one caller stores a minute: each may be 8 MiB, and costs money. */
export const UPLOADS_PER_MINUTE = 30;

/**
 * Refused credentials of one address a minute, whatever they were for. A hosted app's egress serves many people, some of
 * whose tokens have just expired; a guesser gets nowhere with this many.
 */
export const REFUSALS_PER_MINUTE = 300;

/** Addresses that one rate window remembers; above it the window starts anew. */
export const RATE_KEYS_MAX = 10_000;
export const RATE_WINDOW_MS = 1 * MINUTE;
