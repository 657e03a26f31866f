/** What a commit does to files. All paths are canonical and inside one root. */
import type { FileImage } from './image.ts';

export type Change =
  /** New bytes for a file that exists. */
  | { kind: 'replace'; path: string; before: FileImage; content: Buffer }
  /** A file that must not exist yet. `missing` are folders to make first, outermost first. */
  | { kind: 'create'; path: string; content: Buffer; missing: readonly string[]; mode?: number }
  | { kind: 'remove'; path: string; before: FileImage };

/** Somebody else changed a file between the look at it and the commit; nothing was changed by us. */
export class ChangedMeanwhile extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} changed meanwhile`);
    this.name = 'ChangedMeanwhile';
    this.path = path;
  }
}
