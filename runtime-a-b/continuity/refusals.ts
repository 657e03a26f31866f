/** How continuity says no: what is known, what was not touched, and the one next step. */
import { OutcomeError } from '../../contract/outcome.ts';
import type { Candidate } from './candidates.ts';
import { SITE_NAMES, type UrlRefusal } from './url.ts';

/** Why a conversation that exists may still be unknown here. */
const NOT_FOUND_WHY =
  'MCP does not carry the private conversations of a chat provider: only turns that were journaled on this workstation while the conversation was bound can come back.';

export function notFound(what: string, details: Record<string, unknown> = {}): OutcomeError {
  return new OutcomeError('continuity_not_found', `${what} ${NOT_FOUND_WHY}`, {
    next: 'Ask the person which work is meant: its continuity_id, or the address of a conversation that was journaled here.',
    details,
  });
}

/** Two owners or more. All are named (or said to be more); none is chosen. */
export function ambiguous(what: string, candidates: readonly Candidate[], more: boolean): OutcomeError {
  return new OutcomeError('continuity_ambiguous', `${what} Nothing was resumed: none of them is chosen for you.`, {
    next: 'Show the candidates to the person, or narrow them with continuity.search; then call continuity.resume with the continuity_id that was confirmed.',
    details: { candidates, more_candidates: more, next_method: 'continuity.search' },
  });
}

const URL_REASONS: Record<UrlRefusal, string> = {
  too_long: 'is too long',
  not_a_url: 'is no complete https address',
  not_https: 'is not https',
  other_site: `is not on a site whose conversations are journaled (${SITE_NAMES.join(', ')})`,
  not_a_conversation: 'is a page of such a site, but not one conversation',
};

export function urlRefused(reason: UrlRefusal): OutcomeError {
  return new OutcomeError(
    'conversation_url_unsupported',
    `conversation_url ${URL_REASONS[reason]}. Nothing was looked up.`,
    {
      next: 'Give the full address of the conversation as the browser shows it.',
      details: { url_problem: reason },
    },
  );
}

export function closedChain(continuityId: string, status: string): OutcomeError {
  return new OutcomeError('continuity_closed', `The chain ${continuityId} is ${status}. Nothing was written.`, {
    delivery: 'not_delivered',
    next: 'It can be read with continuity.resume; new work goes into a new chain.',
    details: { continuity_id: continuityId },
  });
}
