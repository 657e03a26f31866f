/** `herdr-mcp artifact …`: files on their way between workstations and a web AI, for fifteen minutes. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as Value from 'typebox/value';
import {
  ARTIFACT_BYTES_MAX,
  ARTIFACT_TYPES,
  ArtifactCreated,
  ArtifactDeleted,
  ArtifactId,
} from '../../contract/artifacts/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { writeAtomic } from '../../local/files/index.ts';
import { action, group } from '../command.ts';
import { openEdge } from '../edge/index.ts';
import { UsageError } from '../exit.ts';
import { age, say, sayJson } from '../terminal/index.ts';
import { artifactType } from './types.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;
const id = { type: 'positional', description: 'The artifact’s id, 32 hex digits', required: true } as const;

const up = action(
  'up',
  'Put a file at the edge, where every paired workstation can fetch it',
  {
    file: { type: 'positional', description: 'The file, at most 8 MiB', required: true },
    type: { type: 'string', description: 'Its type, when the name does not tell' },
    json,
  },
  async (args) => {
    const type = artifactType(args.file, args.type);
    if (type === undefined) throw new UsageError(`--type is one of: ${ARTIFACT_TYPES.join(', ')}. Nothing was sent.`);
    const send = await readWhole(args.file);
    const edge = await openEdge();
    const created = await edge.call(
      ArtifactCreated,
      { method: 'POST', path: '/artifacts', bytes: { type, send, answerMax: ANSWER_BYTES_MAX } },
      'The file was not put there',
    );
    if (args.json) return sayJson(created);
    say(`Artifact ${created.id} (${created.mime_type}, ${created.bytes} bytes).`);
    say(`On another workstation, for ${age(created.ttl_ms)}:  herdr-mcp artifact down ${created.id} --out <file>`);
  },
);

const down = action(
  'down',
  'Fetch a file from the edge',
  {
    id,
    out: { type: 'string', description: 'Where to write it', required: true },
    force: { type: 'boolean', description: 'Replace a file that is there' },
    json,
  },
  async (args) => {
    assertId(args.id);
    const out = resolve(args.out);
    if (existsSync(out) && args.force !== true) {
      throw new UsageError(`${out} exists already; pass --force to replace it. Nothing was fetched.`);
    }
    const edge = await openEdge();
    const what = 'The file was not fetched';
    const { bytes, headers } = await edge.fetchBytes(`/artifacts/${args.id}`, ARTIFACT_BYTES_MAX, what);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (headers['x-artifact-sha256'] !== sha256) {
      throw new LocalError('artifact_damaged', `${what}: it arrived damaged. Nothing was written.`, 'Fetch it again.');
    }
    await writeAtomic(out, bytes);
    if (args.json) return sayJson({ ok: true, id: args.id, path: out, bytes: bytes.length, sha256 });
    say(`Wrote ${out} (${bytes.length} bytes).`);
  },
);

const remove = action('remove', 'Delete a file at the edge before its time is over', { id, json }, async (args) => {
  assertId(args.id);
  const edge = await openEdge();
  const request = { method: 'DELETE', path: `/artifacts/${args.id}` } as const;
  await edge.call(ArtifactDeleted, request, 'The file was not deleted');
  if (args.json) return sayJson({ ok: true, deleted: true });
  say('Deleted.');
});

/** What the edge answers to an upload is some hundred bytes. */
const ANSWER_BYTES_MAX = 64 * 1024;

function assertId(text: string): void {
  if (!Value.Check(ArtifactId, text)) throw new UsageError(`"${text}" is no id of an artifact. Nothing was sent.`);
}

/** The file's bytes. One that is too long is refused before it is read. */
async function readWhole(path: string): Promise<Buffer> {
  const known = await stat(path).catch(() => undefined);
  if (!known?.isFile()) throw new UsageError(`${path} is no file that can be read. Nothing was sent.`);
  if (known.size > ARTIFACT_BYTES_MAX) {
    throw new UsageError(`${path} is larger than ${ARTIFACT_BYTES_MAX} bytes. Nothing was sent.`);
  }
  const file = await open(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

export const artifact = group('artifact', 'Files on their way, for minutes', { up, down, remove });
