/** Numbers of `npm run deploy`, each with its reason. Times are ms. */

/** Random bytes of a secret that we make: 256 bits, as the length of the digests that it keys. */
export const SECRET_BYTES = 32;

/** Between two tries with the operator secret: the edge counts ten wrong ones a minute. */
export const OPERATOR_TRY_MS = 8_000;

/** How often the operator secret is tried: a new secret is everywhere within a minute. */
export const OPERATOR_TRIES = 12;
