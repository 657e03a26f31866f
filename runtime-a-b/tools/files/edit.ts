/** `herdr_fs_edit`: one text in a file by another. Every byte outside the match stays. */
import { OutcomeError } from '../../../contract/outcome.ts';
import { dirtyGate, readDirty } from '../../roots/index.ts';
import type { ToolHandler } from '../context.ts';
import { digest } from './commit/index.ts';
import { rootFacts } from './common.ts';
import { EVIDENCE_CHARS, NEAR_MISS_LINES_MAX, NEAR_MISSES, OCCURRENCES_SHOWN } from './limits.ts';
import { findText, fitEndings, lineAt, nearestPlaces } from './match/index.ts';
import { checkExpected, commit, inTurn, mutating, passGates, readSource, type Source } from './mutation.ts';
import { binaryFile } from './scan.ts';
import { countEndings, exact, inTermsOf, lineEnding, type Shape, shown, splitLines, toBytes } from './text/index.ts';

interface EditArgs {
  path: string;
  old_string: string;
  new_string: string;
  expected_sha256?: string;
  confirm_dirty?: boolean;
  confirm_busy?: boolean;
}

export const fsEdit: ToolHandler = mutating(async (args, context) => {
  const asked = args as unknown as EditArgs;
  if (asked.old_string === asked.new_string) {
    throw new OutcomeError('invalid_params', 'old_string and new_string are equal, so the edit would change nothing.', {
      next: 'Give the text that should stand there as new_string.',
    });
  }
  const { root } = await context.roots.existing(context.live.view(), asked.path);
  return await inTurn(root.path, context, async () => {
    const resolved = await context.roots.existing(context.live.view(), asked.path);
    const warnings = await passGates(context, [resolved], resolved.root, asked.confirm_busy === true);
    const source = readSource(resolved);
    checkExpected(resolved.asked, source.sha256, asked.expected_sha256);
    const edited = replaceOnce(source, resolved.asked, asked);
    const dirty = dirtyGate(await readDirty(resolved.root.path, [resolved.path]), asked.confirm_dirty === true);
    if (dirty !== undefined) throw dirty;
    await commit(context, resolved.root, [
      { kind: 'replace', path: resolved.path, before: source, content: edited.bytes },
    ]);
    return {
      ok: true,
      body: {
        path: resolved.path,
        ...rootFacts(resolved.root),
        replaced: 1,
        line: edited.line,
        bytes_before: source.bytes.length,
        bytes_after: edited.bytes.length,
        sha256: digest(edited.bytes),
        encoding: edited.shape.encoding,
        line_ending: lineEnding(countEndings(edited.text)),
        ...(Object.keys(warnings).length === 0 ? {} : { warnings }),
      },
    };
  });
});

interface Edited {
  bytes: Buffer;
  text: string;
  shape: Shape;
  line: number;
}

/** Throws `old_string_not_found` with the nearest places, `old_string_not_unique` with all, `binary_file`, `write_failed`. */
function replaceOnce(source: Source, path: string, asked: EditArgs): Edited {
  const { shape } = source;
  if (shape === 'binary') throw binaryFile(path, source.bytes.length);
  const text = exact(source.bytes, shape);
  if (!toBytes(text, shape).equals(source.bytes)) throw binaryFile(path, source.bytes.length);
  const wanted = inTermsOf(asked.old_string, shape);
  const replacement = inTermsOf(asked.new_string, shape);
  if (replacement === undefined) throw notInEncoding(path, shape);
  const found =
    wanted === undefined ? { matches: [], endingsDiffer: false } : findText(text, wanted, OCCURRENCES_SHOWN + 1);
  const [match, ...more] = found.matches;
  if (match === undefined) throw notFound(path, text, asked.old_string, shape);
  if (more.length > 0)
    throw notUnique(
      path,
      text,
      found.matches.map((each) => each.from),
    );
  const matched = text.slice(match.from, match.to);
  const fitted = fitEndings(replacement, matched, text, found.endingsDiffer);
  if (fitted === matched) {
    throw new OutcomeError(
      'invalid_params',
      `The edit would change nothing in ${path}: only line endings differ, and those stay as they are.`,
      {
        next: 'Change line endings with a program through herdr_exec.',
      },
    );
  }
  const edited = text.slice(0, match.from) + fitted + text.slice(match.to);
  return { bytes: toBytes(edited, shape), text: edited, shape, line: lineAt(text, match.from) };
}

function notFound(path: string, text: string, wanted: string, shape: Shape): OutcomeError {
  const file = splitLines(shown(text, shape)).map((line) => line.text);
  const nearest =
    file.length > NEAR_MISS_LINES_MAX
      ? []
      : nearestPlaces(
          file,
          splitLines(wanted).map((line) => line.text),
          { max: NEAR_MISSES, quote: EVIDENCE_CHARS, partialEnds: true },
        );
  const [best] = nearest;
  const evidence =
    best === undefined
      ? 'Nothing in the file is like it.'
      : `Nearest: ${best.matched} of ${best.of} lines agree from line ${best.line} on; line ${best.first_difference.line} is ${JSON.stringify(best.first_difference.found)}, expected ${JSON.stringify(best.first_difference.expected)}.`;
  return new OutcomeError(
    'old_string_not_found',
    `old_string does not occur in ${path}; nothing was changed. ${evidence}`,
    {
      next: 'Read the lines that are named with herdr_fs_read and give old_string exactly as they are.',
      details: { occurrences: 0, nearest },
    },
  );
}

function notUnique(path: string, text: string, offsets: readonly number[]): OutcomeError {
  const lines = offsets.slice(0, OCCURRENCES_SHOWN).map((offset) => lineAt(text, offset));
  const count = offsets.length > OCCURRENCES_SHOWN ? `more than ${OCCURRENCES_SHOWN}` : String(offsets.length);
  return new OutcomeError(
    'old_string_not_unique',
    `old_string occurs ${count} times in ${path}, at lines ${lines.join(', ')}; nothing was changed.`,
    {
      next: 'Take more of the surrounding lines into old_string, so that it occurs once.',
      details: { occurrences: offsets.length, lines },
    },
  );
}

export function notInEncoding(path: string, shape: Shape): OutcomeError {
  return new OutcomeError(
    'write_failed',
    `${path} is encoded as ${shape.encoding}, which cannot hold a character of the new text; nothing was changed.`,
    {
      next: 'Use characters of that encoding, or convert the file first with iconv through herdr_exec.',
    },
  );
}
