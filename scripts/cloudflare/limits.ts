/** Numbers of everything that talks to Cloudflare's API, each with its reason. Times are ms. */

/** One request to the API; uploads go through wrangler, so everything here is small. */
export const API_MS_MAX = 30_000;

/** Longest answer that is read, in bytes: a list of the domains of a large account is far below it. */
export const API_BYTES_MAX = 4 * 1024 * 1024;

/** Waits between tries of a *read* that got no answer. A change is never tried again without a look. */
export const READ_AGAIN_MS: readonly number[] = [500, 2_000, 5_000];

/** How long `wrangler deploy` may take: it bundles, uploads about 1 MB, and retries by itself. */
export const WRANGLER_MS_MAX = 5 * 60_000;

/** How long a question to wrangler (its login) may take. */
export const WRANGLER_ASK_MS_MAX = 60_000;

/** Between two looks at an address that is coming up. */
export const PROBE_MS = 2_000;

/** A new `workers.dev` name, or a secret that was taken away, is seen everywhere within a minute; three to be sure. */
export const PROBE_MS_MAX = 3 * 60_000;
