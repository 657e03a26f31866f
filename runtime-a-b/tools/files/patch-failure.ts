/** Why a patch was not applied, with the evidence that lets its writer correct it. Pure. */
import { OutcomeError } from '../../../contract/outcome.ts';
import { ECHO_NAMES, echo, echoList } from '../../echo.ts';
import { EVIDENCE_CHARS, NEAR_MISSES } from './limits.ts';
import { nearestPlaces } from './match/index.ts';
import type { HunkFault } from './patch/index.ts';

export function patchFailed(
  what: string,
  details: Record<string, unknown> = {},
  next = 'Correct the patch and call again.',
): OutcomeError {
  return new OutcomeError('PATCH_FAILED', `The patch was not applied: ${what}. No file was changed.`, {
    next,
    details: { mutation_state: 'not_applied', partial_applied: false, ...details },
  });
}

/** A hunk that fits no place or several: names the first line that differs at the best place, or all places. */
export function hunkFailed(path: string, file: readonly string[], fault: HunkFault): OutcomeError {
  const where = { path, patch_line: fault.hunk.at };
  switch (fault.kind) {
    case 'ambiguous':
      return patchFailed(
        `the hunk at line ${fault.hunk.at} of the patch fits ${fault.lines.length} places in ${path}, at lines ${echoList(fault.lines).join(', ')}`,
        { ...where, candidate_lines: fault.lines.slice(0, ECHO_NAMES) },
        'Add more context lines, or name the function after @@, so that only one place fits.',
      );
    case 'anchor_not_found':
      return patchFailed(
        fault.lines.length === 0
          ? `the line ${JSON.stringify(echo(fault.anchor))} after @@ is not in ${path}`
          : `the line ${JSON.stringify(echo(fault.anchor))} after @@ stands ${fault.lines.length} times in ${path}, at lines ${echoList(fault.lines).join(', ')}`,
        { ...where, candidate_lines: fault.lines.slice(0, ECHO_NAMES) },
        'Give after @@ a line that the file holds once, or leave it out and give more context.',
      );
    case 'overlap':
      return patchFailed(
        `two hunks change the same lines of ${path} around line ${fault.line}`,
        where,
        'Make one hunk of them.',
      );
    case 'not_found': {
      const nearest = nearestPlaces(file, fault.wanted, {
        max: NEAR_MISSES,
        quote: EVIDENCE_CHARS,
        partialEnds: false,
      });
      const [best] = nearest;
      const evidence =
        best === undefined
          ? 'nothing in the file is like it'
          : `nearest is line ${best.line}: ${best.matched_before} lines agree, then line ${best.first_difference.line} is ${JSON.stringify(best.first_difference.found)} where the patch expects ${JSON.stringify(best.first_difference.expected)}`;
      return patchFailed(
        `the context of the hunk at line ${fault.hunk.at} of the patch does not occur in ${path}; ${evidence}`,
        { ...where, nearest },
        'Read the named lines with herdr_fs_read and write context and - lines exactly as the file has them.',
      );
    }
  }
}
