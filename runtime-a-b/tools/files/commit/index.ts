/** Changing files so that a caller, a crash and a reader only ever see all of a change or none of it. */
export { type Change, ChangedMeanwhile } from './change.ts';
export { CommitFailed, type CommitOptions, commitChanges } from './commit.ts';
export { digest, type FileImage, readImage } from './image.ts';
export { type Recovered, recoverPatches } from './recover.ts';
export type { Conflict } from './undo.ts';
