/**
 * `herdr_mcp.text.read` and `.write`: small text files of the person's home that belong to no project, such as a note or a
 * tool's configuration. Stricter than the file tools: no link, nothing that looks like a secret by name or by contents,
 * a digest that has to fit, and the workstation named by the caller.
 */
import { closeSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as Type from 'typebox';
import { OutcomeError } from '../../../contract/outcome.ts';
import {
  isSecretPath,
  isWithin,
  normalAbsolute,
  openInside,
  type Resolved,
  type Root,
  writeGate,
} from '../../roots/index.ts';
import type { ToolAnswer, ToolContext } from '../context.ts';
import type { LocalMethods } from '../methods/index.ts';
import { type Change, digest, type FileImage, readImage } from './commit/index.ts';
import { TEXT_FILE_BYTES_MAX } from './limits.ts';
import { commit, inTurn, mutating, writeFailure } from './mutation.ts';

const device = Type.String({ description: 'Id of this workstation, as herdr_inspect names it.', maxLength: 128 });
const path = Type.String({ description: 'Absolute path below the home directory.', minLength: 1, maxLength: 4096 });
const closed = { additionalProperties: false } as const;

const ReadParams = Type.Object(
  { device, path, max_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: TEXT_FILE_BYTES_MAX })) },
  closed,
);
const WriteParams = Type.Object(
  {
    device,
    path,
    content: Type.String({ maxLength: TEXT_FILE_BYTES_MAX }),
    sha256: Type.String({ description: 'Of content as UTF-8.', maxLength: 80 }),
    overwrite: Type.Optional(Type.Boolean({ description: 'Replaces a file that exists.' })),
    backup: Type.Optional(Type.Boolean({ description: 'Keeps the old file beside it. Default true.' })),
  },
  closed,
);

export const homeTextMethods: LocalMethods = {
  'herdr_mcp.text.read': {
    access: 'read',
    description: 'A small text file of the home directory that belongs to no project and holds no secret.',
    params: ReadParams,
    run: (params, context) => readText(params, context),
  },
  'herdr_mcp.text.write': {
    access: 'write',
    description: 'Writes such a file whole; the digest has to fit its contents, and the old file is kept beside it.',
    params: WriteParams,
    run: mutating((params, context) => writeText(params, context)),
  },
};

async function readText(params: Record<string, unknown>, context: ToolContext): Promise<ToolAnswer> {
  namesThisDevice(params, context);
  const place = await placeOf(String(params.path), context);
  const image = readFileAt(place);
  const max = typeof params.max_bytes === 'number' ? params.max_bytes : TEXT_FILE_BYTES_MAX;
  if (image.bytes.length > max) {
    throw new OutcomeError('file_too_large', `${place.asked} has ${image.bytes.length} bytes; up to ${max} are read.`, {
      next: `Give max_bytes up to ${TEXT_FILE_BYTES_MAX}, or read it with herdr_exec.`,
      details: { bytes: image.bytes.length, max_bytes: max },
    });
  }
  const content = utf8(image.bytes, place.asked);
  noSecret(content, place.asked);
  return { ok: true, body: { path: place.path, bytes: image.bytes.length, sha256: image.sha256, content } };
}

async function writeText(params: Record<string, unknown>, context: ToolContext): Promise<ToolAnswer> {
  namesThisDevice(params, context);
  const content = Buffer.from(String(params.content), 'utf8');
  const asked = String(params.path);
  if (content.length > TEXT_FILE_BYTES_MAX)
    throw refused('file_too_large', asked, `${content.length} bytes are too many`);
  if (
    `sha256:${String(params.sha256)
      .toLowerCase()
      .replace(/^sha256:/, '')}` !== digest(content)
  ) {
    throw refused('invalid_params', asked, 'sha256 is not that of content, so it did not arrive as it was sent');
  }
  noSecret(String(params.content), asked);
  return await inTurn(context.policy.homeDir, context, async () => {
    const place = await placeOf(asked, context);
    const gate = writeGate(context.policy, place.path);
    if (gate) throw gate;
    const before = existing(place);
    if (before && params.overwrite !== true) {
      throw new OutcomeError('overwrite_confirmation_required', `${place.asked} exists; nothing was changed.`, {
        next: 'Call again with overwrite true to replace it.',
        details: { bytes: before.bytes.length, sha256: before.sha256 },
      });
    }
    const facts = { path: place.path, bytes: content.length, sha256: digest(content) };
    if (before?.bytes.equals(content)) return { ok: true, body: { ...facts, created: false, unchanged: true } };
    const backup = before && params.backup !== false ? backupName(place.path, context.nowMs()) : undefined;
    await commit(context, place.root, changesOf(place, before, content, backup));
    return { ok: true, body: { ...facts, created: !before, ...(backup === undefined ? {} : { backup }) } };
  });
}

function changesOf(
  place: Resolved,
  before: FileImage | undefined,
  content: Buffer,
  backup: string | undefined,
): Change[] {
  if (!before) return [{ kind: 'create', path: place.path, content, missing: [], mode: 0o600 }];
  const mode = Number(before.stats.mode & 0o777n);
  const kept: Change[] =
    backup === undefined ? [] : [{ kind: 'create', path: backup, content: before.bytes, missing: [], mode }];
  return [...kept, { kind: 'replace', path: place.path, before, content }];
}

const backupName = (file: string, nowMs: number): string =>
  join(dirname(file), `${basename(file)}.${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}.bak`);

/** A file of the home directory that no root holds: those have tools of their own, with gates that this must not pass by. */
async function placeOf(asked: string, context: ToolContext): Promise<Resolved> {
  const normal = normalAbsolute(asked);
  const home = realpathSync.native(context.policy.homeDir);
  const below = [context.policy.homeDir, home].find(
    (base) => normal !== undefined && isWithin(base, normal) && base !== normal,
  );
  if (normal === undefined || below === undefined)
    throw refused('outside_managed_roots', asked, 'it is not below the home directory');
  const folder = realFolder(dirname(normal), asked);
  const real = join(folder, basename(normal));
  if (!isWithin(home, real))
    throw refused('symlink_escape', asked, 'a link on its way leads out of the home directory');
  const relative = real.slice(home.length + 1);
  if (isSecretPath(relative) || isSecretPath(normal.slice(below.length + 1)))
    throw refused('secret_path_denied', asked, 'its name looks like a secret');
  if (context.roots.isProtected(real))
    throw refused('protected_folder_unavailable', asked, 'it lies in a protected folder');
  const { roots } = await context.roots.table(context.live.view());
  if (roots.some((root) => isWithin(root.path, real))) {
    throw new OutcomeError('invalid_params', `${asked} belongs to a project; nothing was touched.`, {
      next: 'Use herdr_fs_read, herdr_fs_edit or herdr_fs_write.',
    });
  }
  const root: Root = {
    path: home,
    spellings: [],
    kind: 'operational',
    bare: false,
    workspaces: [],
    panes: [],
    stale: false,
  };
  return { path: real, relative, root, asked: normal };
}

function realFolder(folder: string, asked: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    throw new OutcomeError('parent_not_found', `The folder of ${asked} does not exist; nothing was touched.`, {
      next: 'Make it first, or choose another place.',
      delivery: 'not_delivered',
      cause: error,
    });
  }
}

function existing(place: Resolved): FileImage | undefined {
  return isThere(place) ? readFileAt(place) : undefined;
}

/** A name that the system does not take is a refusal, not a fault. */
function isThere({ path, asked }: Resolved): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw writeFailure(error, [asked]);
  }
}

/** The bytes of a regular file. A link is refused by the system when it is opened. */
function readFileAt(place: Resolved): FileImage {
  const { fd, stats } = openInside(place);
  try {
    if (stats.size > TEXT_FILE_BYTES_MAX) {
      throw refused(
        'file_too_large',
        place.asked,
        `it has ${stats.size} bytes, up to ${TEXT_FILE_BYTES_MAX} are served`,
      );
    }
    const image = readImage(fd);
    utf8(image.bytes, place.asked);
    return image;
  } finally {
    closeSync(fd);
  }
}

function utf8(bytes: Buffer, asked: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8: refused below, like text with a NUL.
  }
  throw refused('binary_file', asked, 'it is no UTF-8 text');
}

/** Shapes of keys and tokens that services give out; any of them in a text makes it none for this way. */
const SECRET_SHAPES = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant)[-_][A-Za-z0-9_-]{16,}/,
  /\bsk-[A-Za-z0-9]{20,}/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\./,
  /^\s*[\w.-]*(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)[\w.-]*\s*[:=]\s*["']?[^\s"'$<{]{8,}/im,
] as const;

function noSecret(text: string, asked: string): void {
  if (SECRET_SHAPES.some((shape) => shape.test(text))) {
    throw refused('secret_path_denied', asked, 'its contents look like a secret');
  }
}

/** A file outside every project is meant on one machine; a default must not choose it. */
function namesThisDevice(params: Record<string, unknown>, { deviceId }: ToolContext): void {
  if (params.device === deviceId) return;
  throw new OutcomeError('device_required', `device has to be ${deviceId}, this workstation. Nothing was touched.`, {
    next: 'herdr_inspect names the device of a workstation; herdr_devices lists them.',
  });
}

type RefusalCode =
  | 'file_too_large'
  | 'invalid_params'
  | 'outside_managed_roots'
  | 'symlink_escape'
  | 'secret_path_denied'
  | 'protected_folder_unavailable'
  | 'binary_file';

function refused(code: RefusalCode, asked: string, why: string): OutcomeError {
  return new OutcomeError(code, `${asked.slice(0, 300)}: ${why}. Nothing was touched.`, {
    next: 'Choose another file, or ask the person to do it.',
    delivery: 'not_delivered',
  });
}
