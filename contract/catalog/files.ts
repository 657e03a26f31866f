/** Tools that read and change files inside known roots. Secret-looking names are hidden from them. */
import {
  args,
  confirmBusy,
  confirmDirty,
  expectedSha256,
  flag,
  idempotencyKey,
  optional,
  path,
  root,
  text,
  whole,
} from './arguments.ts';
import { READ, type Tool, WRITE } from './tool.ts';

export const fsRead: Tool = {
  name: 'herdr_fs_read',
  title: 'Read file',
  description:
    'Lines of a text file, 200 from start_line by default, cut at whole lines. next_start_line continues. Also gives size, sha256, encoding and line ending.',
  input: args({
    path,
    start_line: whole('First line, from 1.', 1),
    end_line: whole('Last line. Default start_line + 199.', 1),
    max_bytes: whole('At most this many bytes of text. Default 16384.', 1, 262_144),
  }),
  annotations: { title: 'Read file', ...READ },
};

export const fsList: Tool = {
  name: 'herdr_fs_list',
  title: 'List directory',
  description: 'Entries of a directory, sorted by name. Symlinks are listed and not followed.',
  input: args({
    path,
    recursive: flag('Lists subdirectories too.'),
    glob: optional(text('Only names that match, such as *.ts.', { maxLength: 256 })),
    max_entries: whole('Default 200.', 1, 2000),
  }),
  annotations: { title: 'List directory', ...READ },
};

export const fsGrep: Tool = {
  name: 'herdr_fs_grep',
  title: 'Search files',
  description:
    'Searches the files of a root; plain text unless regex is true. Follows .gitignore. An answer without matches means that everything was searched.',
  input: args({
    root,
    pattern: text('What to find.', { minLength: 1, maxLength: 4096 }),
    regex: flag('pattern is a regular expression.'),
    case_insensitive: flag('Ignores case.'),
    glob: optional(text('Only files that match, such as **/*.ts.', { maxLength: 256 })),
    max_matches: whole('Default 50.', 1, 1000),
    max_bytes: whole('Skips larger files. Default 262144.', 1, 1_048_576),
  }),
  annotations: { title: 'Search files', ...READ },
};

export const fsImage: Tool = {
  name: 'herdr_fs_image',
  title: 'View image',
  description: 'A png, jpeg, gif or webp file as an image; a larger one as a smaller JPEG preview.',
  input: args({ path, max_bytes: whole('Refuses larger files. Default 2097152.', 1, 8_000_000) }),
  annotations: { title: 'View image', ...READ },
};

export const fsEdit: Tool = {
  name: 'herdr_fs_edit',
  title: 'Edit file',
  description:
    'Replaces old_string, which occurs exactly once, by new_string. Every other byte stays as it is. A near miss changes nothing and shows where the text differs.',
  input: args({
    path,
    old_string: text('Text that occurs exactly once in the file.', { minLength: 1 }),
    new_string: text('Its replacement.'),
    expected_sha256: expectedSha256,
    confirm_dirty: confirmDirty,
    confirm_busy: confirmBusy,
    idempotency_key: idempotencyKey,
  }),
  since: { expected_sha256: 5, idempotency_key: 5 },
  annotations: { title: 'Edit file', ...WRITE },
};

export const fsWrite: Tool = {
  name: 'herdr_fs_write',
  title: 'Write file',
  description: 'Writes a whole file in an existing directory. An existing file needs overwrite.',
  input: args({
    path,
    content: text('The whole content.'),
    overwrite: flag('Replaces an existing file.'),
    expected_sha256: expectedSha256,
    confirm_dirty: confirmDirty,
    confirm_busy: confirmBusy,
    idempotency_key: idempotencyKey,
  }),
  since: { expected_sha256: 5, idempotency_key: 5 },
  annotations: { title: 'Write file', ...WRITE, idempotentHint: true },
};

export const fsPatch: Tool = {
  name: 'herdr_fs_patch',
  title: 'Apply patch',
  description:
    'Applies a patch over one or many files of a root, all or nothing. Format: *** Begin Patch, then sections *** Add File: p, *** Delete File: p, *** Update File: p (optionally *** Move to: q) with @@ hunks of context, - and + lines, then *** End Patch.',
  input: args({
    root,
    patch: text('The patch.', { minLength: 1 }),
    dry_run: flag('Checks the patch and changes nothing.'),
    confirm_dirty: confirmDirty,
    confirm_busy: confirmBusy,
    idempotency_key: idempotencyKey,
  }),
  since: { idempotency_key: 5 },
  annotations: { title: 'Apply patch', ...WRITE },
};
