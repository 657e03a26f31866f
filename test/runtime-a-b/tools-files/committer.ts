/** Commits changes as a runtime would, and is killed before a step of the caller's choice. */
import { closeSync, openSync } from 'node:fs';
import type { Root } from '../../../runtime-a-b/roots/index.ts';
import { type Change, commitChanges, readImage } from '../../../runtime-a-b/tools/files/commit/index.ts';

export type Sketch =
  | { kind: 'replace'; path: string; content: string }
  | { kind: 'create'; path: string; content: string; missing?: string[] }
  | { kind: 'remove'; path: string };

export const rootAt = (path: string): Root => ({
  path,
  spellings: [],
  kind: 'git',
  bare: false,
  workspaces: [],
  panes: [],
  stale: false,
});

export function imageOf(path: string) {
  const fd = openSync(path, 'r');
  try {
    return readImage(fd);
  } finally {
    closeSync(fd);
  }
}

export function toChanges(sketches: readonly Sketch[]): Change[] {
  return sketches.map((sketch): Change => {
    if (sketch.kind === 'create')
      return { kind: 'create', path: sketch.path, content: Buffer.from(sketch.content), missing: sketch.missing ?? [] };
    const before = imageOf(sketch.path);
    if (sketch.kind === 'remove') return { kind: 'remove', path: sketch.path, before };
    return { kind: 'replace', path: sketch.path, before, content: Buffer.from(sketch.content) };
  });
}

if (process.argv[1]?.endsWith('committer.ts')) {
  const { root, stateDir, sketches, killAt } = JSON.parse(process.argv[2] ?? '') as {
    root: string;
    stateDir: string;
    sketches: Sketch[];
    killAt: string;
  };
  commitChanges(toChanges(sketches), {
    root: rootAt(root),
    stateDir,
    dispatchId: 'd_test',
    beforeChange: () => undefined,
    onStep: (step) => {
      if (step === killAt) process.kill(process.pid, 'SIGKILL');
    },
  });
}
