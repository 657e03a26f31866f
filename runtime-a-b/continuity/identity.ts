/**
 * From what names a conversation or project exactly to the one chain that owns it, or to all that claim it. Words and
 * time play no part here: two owners are two owners, however old one of them is.
 */
import { OutcomeError } from '../../contract/outcome.ts';
import type { Chain, Journal } from '../journal/index.ts';
import { type Candidate, candidate } from './candidates.ts';
import { OWNERS_MAX } from './limits.ts';
import { ambiguous, notFound, urlRefused } from './refusals.ts';
import { normalId, projectIdOf, readConversationUrl } from './url.ts';

export type MatchedBy = 'continuity_id' | 'conversation' | 'project';

export interface Named {
  /** Empty means any: the id alone has to be enough. */
  provider: string;
  conversationId: string;
  projectId: string;
}

export interface Resolved {
  chain: Chain;
  matchedBy: MatchedBy;
}

/** A project as it is stored: a ChatGPT Project without its readable part, everything else as given. */
export function normalProject(text: string | undefined): string {
  return text === undefined ? '' : (projectIdOf(text.trim()) ?? normalId(text.trim()));
}

/** What an address names; throws `conversation_url_unsupported`. */
export function namedByUrl(url: string): Named {
  const reading = readConversationUrl(url);
  if (!reading.ok) throw urlRefused(reading.reason);
  const { provider, conversationId, projectId } = reading.address;
  return { provider, conversationId, projectId };
}

/** A conversation by its id. An address in that place is read as one: some pages know nothing shorter. */
export function namedById(conversationId: string, provider: string | undefined, projectId: string | undefined): Named {
  const text = conversationId.trim();
  if (text === '') {
    throw new OutcomeError('conversation_id_required', 'conversation_id is empty. Nothing was looked up.', {
      next: 'Give the conversation’s id or its full address.',
    });
  }
  if (/^https?:\/\//i.test(text)) {
    const named = namedByUrl(text);
    return { ...named, projectId: normalProject(projectId) || named.projectId };
  }
  return { provider: provider ?? '', conversationId: normalId(text), projectId: normalProject(projectId) };
}

/** The chain with this id; throws `continuity_not_found`. A closed one is found too: it may be read. */
export function resolveById(journal: Journal, continuityId: string): Resolved {
  const chain = journal.chains.byId(continuityId);
  if (chain && chain.status !== 'importing') return { chain, matchedBy: 'continuity_id' };
  throw notFound('No chain on this workstation has this continuity_id.', { continuity_id: continuityId });
}

/**
 * The one active chain that owns a conversation; for a conversation that nobody owns, the one active chain of its
 * project. Throws `continuity_ambiguous` for two, `continuity_not_found` for none.
 */
export function resolveConversation(journal: Journal, named: Named): Resolved {
  const bound = distinct(journal.bindings.ofConversation(named).map(({ chain }) => chain));
  const active = bound.filter(({ status }) => status === 'active');
  const [only] = active;
  if (active.length === 1 && only) return { chain: only, matchedBy: 'conversation' };
  if (active.length > 1) {
    throw ambiguous(
      `The conversation belongs to ${active.length} active chains.`,
      shown(journal, active, 'conversation'),
      active.length > OWNERS_MAX,
    );
  }
  if (bound.length > 0) {
    throw notFound('The chain that the conversation belonged to is closed.', {
      closed: bound.map(({ continuityId }) => continuityId),
    });
  }
  return resolveProject(journal, named);
}

function resolveProject(journal: Journal, { provider, projectId }: Named): Resolved {
  if (projectId === '') throw notFound('No journal here knows this conversation.');
  const active = journal.chains
    .ofProject(projectId, provider, OWNERS_MAX + 1)
    .filter(({ status }) => status === 'active');
  const [only] = active;
  if (active.length === 1 && only) return { chain: only, matchedBy: 'project' };
  if (active.length === 0) throw notFound('No journal here knows this conversation or its project.');
  throw ambiguous(
    `No journal knows this conversation, and its project has ${active.length} active chains.`,
    shown(journal, active, 'project'),
    active.length > OWNERS_MAX,
  );
}

function shown(journal: Journal, chains: readonly Chain[], reason: string): Candidate[] {
  return chains.slice(0, OWNERS_MAX).map((chain) => candidate(journal, chain, { reasons: [reason], repoScope: null }));
}

/** Each chain once, in the order in which it was found. */
export function distinct(chains: readonly Chain[]): Chain[] {
  return [...new Map(chains.map((chain) => [chain.chainNo, chain])).values()];
}
