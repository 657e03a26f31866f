/** `herdr_fs_write`: a whole file. One that exists keeps its encoding, byte order mark, line endings, mode and names. */
import { OutcomeError } from '../../../contract/outcome.ts';
import { dirtyGate, type Resolved, readDirty } from '../../roots/index.ts';
import type { ToolAnswer, ToolContext, ToolHandler } from '../context.ts';
import { digest } from './commit/index.ts';
import { rootFacts } from './common.ts';
import { checkExpected, commit, inTurn, mutating, passGates, readSource, type Source } from './mutation.ts';
import { countEndings, inTermsOf, lineEnding, readable, toBytes } from './text/index.ts';

interface WriteArgs {
  path: string;
  content: string;
  overwrite?: boolean;
  expected_sha256?: string;
  confirm_dirty?: boolean;
  confirm_busy?: boolean;
}

export const fsWrite: ToolHandler = mutating(async (args, context) => {
  const asked = args as unknown as WriteArgs;
  const { root } = await context.roots.fresh(context.live.view(), asked.path);
  return await inTurn(root.path, context, async () => {
    const target = await context.roots.fresh(context.live.view(), asked.path);
    const warnings = await passGates(context, [target], target.root, asked.confirm_busy === true);
    return target.exists
      ? await replaceFile(target, asked, context, warnings)
      : await createFile(target, asked, context, warnings);
  });
});

async function createFile(
  target: Resolved,
  asked: WriteArgs,
  context: ToolContext,
  warnings: Record<string, unknown>,
): Promise<ToolAnswer> {
  checkExpected(target.asked, undefined, asked.expected_sha256);
  const content = Buffer.from(asked.content, 'utf8');
  await commit(context, target.root, [{ kind: 'create', path: target.path, content, missing: [] }]);
  return answer(target, content, { created: true, overwritten: false }, warnings);
}

async function replaceFile(
  target: Resolved,
  asked: WriteArgs,
  context: ToolContext,
  warnings: Record<string, unknown>,
): Promise<ToolAnswer> {
  const source = readSource(target);
  checkExpected(target.asked, source.sha256, asked.expected_sha256);
  if (asked.overwrite !== true) {
    throw new OutcomeError(
      'overwrite_confirmation_required',
      `${target.asked} exists (${source.bytes.length} bytes); nothing was changed.`,
      {
        next: 'Change a part of it with herdr_fs_edit, or call again with overwrite true to replace all of it.',
        details: { bytes: source.bytes.length, sha256: source.sha256 },
      },
    );
  }
  const dirty = dirtyGate(await readDirty(target.root.path, [target.path]), asked.confirm_dirty === true);
  if (dirty !== undefined) throw dirty;
  const { content, kept } = inShapeOf(source, asked.content);
  const facts = { created: false, overwritten: true, ...kept };
  if (content.equals(source.bytes)) return answer(target, content, { ...facts, unchanged: true }, warnings);
  await commit(context, target.root, [{ kind: 'replace', path: target.path, before: source, content }]);
  return answer(target, content, facts, warnings);
}

/** The new text as the old file was written. What the old encoding cannot hold is written as UTF-8, and said. */
function inShapeOf(
  source: Pick<Source, 'bytes' | 'shape'>,
  content: string,
): { content: Buffer; kept: Record<string, unknown> } {
  const { shape } = source;
  if (shape === 'binary' || source.bytes.length === 0) return { content: Buffer.from(content, 'utf8'), kept: {} };
  const endings = countEndings(readable(source.bytes, shape));
  const onlyCrlf = endings.crlf > 0 && endings.lf === 0;
  const converted = onlyCrlf && !content.includes('\r') && content.includes('\n');
  const text = converted ? content.replaceAll('\n', '\r\n') : content;
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  const valid = { ...shape, invalid: false };
  const kept = converted ? { line_endings_kept: 'crlf' } : {};
  if (inTermsOf(plain, valid) === undefined)
    return { content: Buffer.from(text, 'utf8'), kept: { ...kept, encoding_before: shape.encoding } };
  return { content: toBytes((shape.bom ? '\ufeff' : '') + (shape.bom ? plain : text), valid), kept };
}

function answer(
  target: Resolved,
  content: Buffer,
  facts: Record<string, unknown>,
  warnings: Record<string, unknown>,
): ToolAnswer {
  return {
    ok: true,
    body: {
      path: target.path,
      ...rootFacts(target.root),
      ...facts,
      bytes: content.length,
      sha256: digest(content),
      line_ending: lineEnding(countEndings(content.toString('latin1'))),
      ...(Object.keys(warnings).length === 0 ? {} : { warnings }),
    },
  };
}
