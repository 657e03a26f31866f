/**
 * Which browser does something to a chat. One row for each name that was claimed; the browser's own record decides what
 * it does itself, this one only keeps two browsers from doing it both. Runs inside the registry's transaction.
 */
import { and, eq, inArray, lt, ne } from 'drizzle-orm/sql';
import type { WakeAnswer, WakeClaim, WakeDone, WakeLeave, WakeStanding } from '../../contract/extension/wake.ts';
import { readConversationUrl } from '../continuity/index.ts';
import type { State } from '../state/index.ts';
import { WAKE_CLAIM_MS, WAKE_LEAVE_MS, WAKE_TTL_MS } from './limits.ts';
import { sha256 } from './naming.ts';
import { browserResources, browserWakes } from './schema.ts';

type Row = typeof browserWakes.$inferSelect;

const digestOf = (conversation: string): string => sha256('herdr-mcp/wake', conversation);

type Phase = 'free' | 'claimed' | 'leaving' | 'sent' | 'uncertain';

/**
 * How it stands for the one who asks: a claim that is over is nobody's, nobody knows what became of a message that left
 * long ago, and what was done may be due again.
 */
function phaseOf(row: Row, { endpoint_ref, again_ms, by_person }: WakeClaim | WakeLeave, now: number): Phase {
  const age = Math.abs(now - row.updatedAt);
  if (row.phase === 'claimed') return age < WAKE_CLAIM_MS ? 'claimed' : 'free';
  if (row.phase === 'leaving' && age < WAKE_LEAVE_MS) return 'leaving';
  if (again_ms !== undefined && (row.endpointRef === endpoint_ref || age >= again_ms)) return 'free';
  if (row.phase === 'sent') return 'sent';
  return by_person ? 'free' : 'uncertain';
}

export interface WakeParts {
  state: State;
  owes?: (sessionRefs: readonly string[], panes: readonly string[]) => boolean;
}

/** The same chat as other browsers have shown it: each has its own ref for it, and its own inbox. */
function otherSessions({ endpoint_ref, conversation }: WakeClaim, { orm }: State): string[] {
  const reading = readConversationUrl(conversation);
  if (!reading.ok) return [];
  return orm
    .select({ ref: browserResources.resourceRef })
    .from(browserResources)
    .where(
      and(
        eq(browserResources.kind, 'session'),
        eq(browserResources.canonicalUrl, reading.address.canonicalUrl),
        ne(browserResources.endpointRef, endpoint_ref),
      ),
    )
    .all()
    .map(({ ref }) => ref);
}

/** Gives all that is free of what was asked for, or nothing: one message tells of them together. */
export function takeWake(request: WakeClaim | WakeLeave, { state, owes }: WakeParts, now: number): WakeAnswer {
  const { orm } = state;
  const { endpoint_ref: endpointRef, keys } = request;
  const conversationSha256 = digestOf(request.conversation);
  orm
    .delete(browserWakes)
    .where(lt(browserWakes.updatedAt, now - WAKE_TTL_MS))
    .run();
  const rows = orm
    .select()
    .from(browserWakes)
    .where(and(eq(browserWakes.conversationSha256, conversationSha256), inArray(browserWakes.settle, keys)))
    .all();
  const phases = new Map(rows.map((row) => [row, phaseOf(row, request, now)]));
  const wake = standingOf(phases, request);
  if (wake !== 'yours') return { ok: true, wake };
  if (request.operation === 'wake.claim' && request.panes.length > 0) {
    if (owes?.(otherSessions(request, state), request.panes)) return { ok: true, wake: 'held' };
  }
  const phase = request.operation === 'wake.leave' ? 'leaving' : 'claimed';
  const told = new Set(rows.filter((row) => phases.get(row) === 'sent').map(({ settle }) => settle));
  for (const settle of keys) {
    if (told.has(settle)) continue;
    const seen = { endpointRef, phase, updatedAt: now };
    orm
      .insert(browserWakes)
      .values({ conversationSha256, settle, ...seen })
      .onConflictDoUpdate({ target: [browserWakes.conversationSha256, browserWakes.settle], set: seen })
      .run();
  }
  return { ok: true, wake };
}

function standingOf(rows: ReadonlyMap<Row, Phase>, { keys, endpoint_ref }: WakeClaim | WakeLeave): WakeStanding {
  const phases = [...rows].map(([row, phase]) => ({ phase, mine: row.endpointRef === endpoint_ref }));
  if (phases.some(({ phase, mine }) => !mine && (phase === 'claimed' || phase === 'leaving'))) return 'held';
  const over = phases.filter(({ phase, mine }) => phase === 'sent' || (phase === 'uncertain' && !mine));
  if (over.length < keys.length) return 'yours';
  return over.some(({ phase }) => phase === 'uncertain') ? 'uncertain' : 'sent';
}

/** What became of it, from the browser that had it; what another one has is left alone. */
export function endWake(request: WakeDone, { orm }: State, now: number): WakeAnswer {
  const own = and(
    eq(browserWakes.conversationSha256, digestOf(request.conversation)),
    inArray(browserWakes.settle, request.keys),
    eq(browserWakes.endpointRef, request.endpoint_ref),
  );
  if (request.outcome === 'unsent') {
    orm
      .delete(browserWakes)
      .where(and(own, inArray(browserWakes.phase, ['claimed', 'leaving'])))
      .run();
  } else orm.update(browserWakes).set({ phase: request.outcome, updatedAt: now }).where(own).run();
  return { ok: true, wake: 'yours' };
}
