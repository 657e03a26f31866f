/** The tools that read and change files inside roots. Each resolves its path through `roots/` before it touches a disk. */
import type { ToolHandlers } from '../context.ts';
import { fsEdit } from './edit.ts';
import { fsGrep } from './grep.ts';
import { fsImage } from './image.ts';
import { fsList } from './list.ts';
import { fsPatch } from './patch.ts';
import { fsRead } from './read.ts';
import { fsWrite } from './write.ts';

export { type Recovered, recoverPatches } from './commit/index.ts';
export { homeTextMethods } from './home-text.ts';

export const fileTools: ToolHandlers = {
  herdr_fs_read: fsRead,
  herdr_fs_list: fsList,
  herdr_fs_grep: fsGrep,
  herdr_fs_image: fsImage,
  herdr_fs_edit: fsEdit,
  herdr_fs_write: fsWrite,
  herdr_fs_patch: fsPatch,
};
