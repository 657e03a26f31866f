/** What the edge does with secrets: compare, digest, derive codes, seal. No secret itself lives here. */
export { type CodePurpose, pageToken, sixDigits } from './codes.ts';
export { sameSecret } from './compare.ts';
export { digest } from './digest.ts';
export { randomHex } from './random.ts';
export { seal, unseal } from './sealing.ts';
