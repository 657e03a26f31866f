/** Numbers of the cutover, each with its reason. Times are ms. */

/** Good looks in a row before a new address is believed: several of Cloudflare's places answer in turn. */
export const GREEN_IN_A_ROW = 3;

/** Between two looks at the new address. */
export const WATCH_MS = 5_000;

/** How long a new address may take: its certificate is made first, mostly within two minutes. */
export const WATCH_MS_MAX = 15 * 60_000;
