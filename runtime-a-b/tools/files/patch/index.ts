/** The patch format: reading it, and applying it to the text of a file. No disk. */
export { type Applied, applyHunks, type HunkFault } from './apply.ts';
export { type Hunk, PatchFault, parsePatch, type Section } from './parse.ts';
