/**
 * Folders held open while a commit works in them. A folder that is swapped for a symlink after the check cannot lead a
 * write elsewhere: on Linux every name is used through the open folder. Elsewhere the folder is proven again at each use.
 */
import { closeSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { systemCode } from '../../../../local/error/index.ts';
import { folderPath, inFolder, openFolderInside, type Root } from '../../../roots/index.ts';

/** Where a canonical path is used; `undefined` when its folder is gone or leads elsewhere now. */
export type At = (path: string) => string | undefined;

export class Anchors {
  readonly #root: Root;
  readonly #open = new Map<string, number>();

  constructor(root: Root) {
    this.#root = root;
  }

  /** Opens a folder that exists. Throws when it leads elsewhere now. */
  hold(folder: string): void {
    if (this.#open.has(folder)) return;
    const resolved = { path: folder, relative: '', root: this.#root, asked: folder };
    this.#open.set(folder, openFolderInside(resolved).fd);
  }

  /** Makes a folder inside one that is held, and holds it. One that exists meanwhile is as good. */
  make(folder: string): void {
    try {
      mkdirSync(this.at(folder));
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    this.hold(folder);
  }

  at = (path: string): string => {
    const folder = dirname(path);
    const fd = this.#open.get(folder);
    if (fd === undefined) throw new Error(`the folder of ${path} is not held`);
    if (process.platform !== 'linux' && realpathSync.native(folder) !== folder)
      throw new Error(`${folder} leads elsewhere now`);
    return inFolder({ fd, path: folder }, basename(path));
  };

  atOrUndefined: At = (path) => (this.#open.has(dirname(path)) ? this.at(path) : undefined);

  /** The held folder itself. */
  folder(path: string): string {
    const fd = this.#open.get(path);
    if (fd === undefined) throw new Error(`${path} is not held`);
    return folderPath({ fd, path });
  }

  close(): void {
    for (const fd of this.#open.values()) closeSync(fd);
    this.#open.clear();
  }
}

/** For recovery, where nothing is held any more: a folder that is no more what it was is left alone. */
export const atPlain: At = (path) => {
  try {
    return realpathSync.native(dirname(path)) === dirname(path) ? path : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
};
