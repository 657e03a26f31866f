/** The tools that read and change files inside roots. Each resolves its path through `roots/` before it touches a disk. */
import type { ToolHandlers } from '../context.ts';
import { fsGrep } from './grep.ts';
import { fsImage } from './image.ts';
import { fsList } from './list.ts';
import { fsRead } from './read.ts';

export const fileTools: ToolHandlers = {
  herdr_fs_read: fsRead,
  herdr_fs_list: fsList,
  herdr_fs_grep: fsGrep,
  herdr_fs_image: fsImage,
};
