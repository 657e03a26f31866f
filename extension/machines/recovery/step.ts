/**
 * One conversation's health: what was found, what would help, and what was done about it (reference/extension.md 4.9).
 * Evidence decides; nothing is ever typed or sent. A budget is spent in the state that is written down before the page is
 * told, and comes back only when the page says that it certainly did nothing. Pure.
 */
import type { Found, PageEvidence, ServerEvidence } from '../../health.ts';
import type { Reason } from '../../messages.ts';
import { helpFor, type Suspicion, suspicionOf } from './diagnose.ts';
import {
  AFTER_RELOAD_MS,
  EXAMINE_DOUBLINGS,
  EXAMINE_LOST_MS,
  EXAMINE_PAUSE_MS,
  ORDER_EXPIRES_MS,
  RELOADS_MAX,
  RETRIES_MAX,
  RETRY_START_MS,
} from './limits.ts';
import { answered, declined, plainly, pressed, spend, stillOrdered } from './orders.ts';
import { levelFor, withFault } from './page-fault.ts';
import { blockOf, holdOf, type Remedy } from './safety.ts';
import { type Advice, type Context, type Health, type Order, type RecoveryEvent, WELL } from './state.ts';

/** A look at the page, with the server's view when it was asked for it. */
interface Seen {
  tab: number;
  document: string;
  evidence: PageEvidence;
  server?: ServerEvidence | null;
}

export function recover(before: Health, event: RecoveryEvent, context: Context): Advice {
  const health = sane(before, context.now);
  switch (event.type) {
    case 'turn':
      return plainly(turn(health, event, context.now));
    case 'evidence':
      return look(health, event, context);
    case 'examined': {
      const heard = { ...health, asked: { ...health.asked, open: false } };
      return look(heard, event, context);
    }
    case 'answered':
      return answered(health, event, context);
    case 'declined':
      return declined(health, event);
    case 'pressed':
      return pressed(health, event, context);
    case 'tick':
      return plainly(tick(health, context));
  }
}

/** Times of a clock that was put back since: they are now, so that every pause ends. */
function sane(health: Health, now: number): Health {
  const past = <T extends number | null>(at: T): T => (at !== null && at > now ? (now as T) : at);
  const { page, order, asked } = health;
  const times = [
    health.reloadedAt,
    health.actedAt,
    asked.at,
    page.since,
    page.level1At,
    page.level2At,
    page.tabAt,
    page.wellAt,
  ];
  if ([...times, order?.at ?? 0, order?.toldAt ?? 0].every((at) => at === null || at <= now)) return health;
  return {
    ...health,
    reloadedAt: past(health.reloadedAt),
    actedAt: past(health.actedAt),
    asked: { ...asked, at: past(asked.at) },
    order: order && { ...order, at: past(order.at), toldAt: past(order.toldAt) },
    page: {
      ...page,
      since: past(page.since),
      level1At: past(page.level1At),
      level2At: past(page.level2At),
      tabAt: past(page.tabAt),
      wellAt: past(page.wellAt),
    },
  };
}

/** A new turn has its own budgets. One that the site sent again, under another id, is the same. */
function turn(health: Health, { id, hash }: { id: string | null; hash: string }, now: number): Health {
  const known = health.turn;
  if (known !== null && id !== null && known.id === id) return health;
  if (known?.hash === hash && health.retries > 0 && health.phase !== 'well') {
    return { ...health, turn: { ...known, id } };
  }
  const { reloadedAt, page, phase } = health;
  const named = { id, hash, at: now };
  // The page that was reloaded for a turn that nobody had named names it now: what it has cost is its own.
  if (known === null && (phase === 'ordered' || phase === 'acted')) return { ...health, turn: named };
  return { ...WELL, turn: named, reloadedAt, page };
}

function look(health: Health, seen: Seen, context: Context): Advice {
  const { tab, phase, order, actedAt } = health;
  // Another tab of the same conversation: what is wrong was seen in the first one.
  if (phase !== 'well' && tab !== null && tab !== seen.tab && context.isOpen(tab)) return plainly(health);
  if (phase === 'ordered' && order !== null) {
    if (tab === seen.tab && order.document === seen.document) return stillOrdered(health, order, context);
    // Its document is gone, so a reload has been; of a Retry nobody knows, and it stays spent.
    return afterwards({ ...health, phase: 'acted', actedAt: actedAt ?? context.now }, seen, context);
  }
  return phase === 'acted' ? afterwards(health, seen, context) : evaluate(health, seen, context);
}

/** Something was done. It gets its time; then what is still wrong is looked at anew. */
function afterwards(health: Health, seen: Seen, context: Context): Advice {
  const { act, order, actedAt } = health;
  const { evidence } = seen;
  // By the page's own watch, where it has one: a clock that was put forward makes nothing older.
  const since = Math.min(context.now - (actedAt ?? context.now), evidence.actedMs ?? Number.POSITIVE_INFINITY);
  if (act === 'retry') {
    const started = evidence.streaming === true || evidence.stillMs < since;
    if (evidence.error === null && (started || !evidence.pending)) return plainly(calm(health));
    if (since < RETRY_START_MS) return plainly(health);
    return attempt(health, seen, { act: 'reload', found: 'retry_failed', failure: true, level: false }, context);
  }
  const notYet = order?.document === seen.document ? since < ORDER_EXPIRES_MS : evidence.loadedMs < AFTER_RELOAD_MS;
  return notYet ? plainly(health) : evaluate({ ...health, phase: 'suspect', act: null, order: null }, seen, context);
}

function evaluate(before: Health, seen: Seen, context: Context): Advice {
  const { evidence, server } = seen;
  const { now } = context;
  const page = withFault(before.page, evidence, server, now);
  const health = page === before.page ? before : { ...before, page };
  const suspicion = suspicionOf(evidence, health.turn === null ? null : now - health.turn.at);
  const { fault } = page;
  if (suspicion === null && fault === null) return plainly(calm(health));
  if (context.backingOff) return plainly(suspect(health, seen, suspicion?.found ?? fault, 'rate_limited'));
  if (fault !== null) {
    const level = levelFor(health, evidence, now);
    if (level === 'spent') return plainly(exhausted(health, seen, fault));
    const proven = fault === 'memory_pressure' || server != null;
    if (level !== 'wait' && proven)
      return attempt(health, seen, { act: level, found: fault, failure: false, level: true }, context);
  }
  if (suspicion === null) return plainly(suspect(health, seen, fault, null));
  if (health.phase === 'exhausted' && health.reloads >= RELOADS_MAX) return plainly(health);
  return treat(health, seen, suspicion, context);
}

/** A turn that may have been lost: the server is asked, and its word decides. */
function treat(health: Health, seen: Seen, suspicion: Suspicion, context: Context): Advice {
  const { evidence, server } = seen;
  const known = health.phase === 'held' || health.phase === 'offered';
  if (!suspicion.due) return plainly(suspect(health, seen, suspicion.found, null));
  if (server === undefined) {
    // What would help is known, and a person has it in hand: nothing has to be asked.
    if (health.phase === 'offered' && (!context.auto || health.stays)) return plainly(health);
    const blocked = known ? blockOf(evidence) : null;
    if (blocked !== null) return plainly({ ...health, hold: blocked });
    return ask(known ? health : suspect(health, seen, suspicion.found, health.hold), seen, context.now);
  }
  const help = helpFor(evidence, server, health.retries >= RETRIES_MAX);
  if (help === 'unknown') return plainly(suspect(health, seen, suspicion.found, 'server_unknown'));
  if (help === 'wait' || help === 'nothing') return plainly(suspect(health, seen, suspicion.found, null));
  const failure = evidence.error !== null && evidence.error.kind !== 'interrupted';
  return attempt(health, seen, { ...help, failure, level: false }, context);
}

function ask(health: Health, { tab, document }: Seen, now: number): Advice {
  const { at, times, open } = health.asked;
  const pause = EXAMINE_PAUSE_MS * 2 ** Math.min(Math.max(times - 1, 0), EXAMINE_DOUBLINGS);
  const waits = open && now - at < EXAMINE_LOST_MS;
  if (waits || (times > 0 && now - at < pause)) return plainly(health);
  const asked = { at: now, times: times + 1, open: true };
  return { health: { ...health, asked }, effects: [{ type: 'examine', tab, document }], refused: null };
}

/** What would help: not when its budget is spent, not in an unsafe page, and by itself only where Auto is on. */
function attempt(health: Health, seen: Seen, remedy: Remedy, context: Context): Advice {
  const { act, found, level } = remedy;
  const { now } = context;
  if (!level && act === 'reload' && health.reloads >= RELOADS_MAX) return plainly(exhausted(health, seen, found));
  const known: Health = { ...health, found, act, tab: seen.tab };
  const hold = holdOf(health, seen.evidence, remedy, context);
  if (hold !== null) {
    return plainly({ ...known, phase: 'held', hold, order: null, asked: { ...health.asked, times: 1 } });
  }
  const stands = health.phase === 'offered' && health.found === found && health.order?.document === seen.document;
  const alone = context.auto && !(health.stays && act !== 'retry');
  if (stands && !alone) return plainly(health);
  const { error, stillMs } = seen.evidence;
  const order: Order = {
    id: '',
    act,
    error: error?.kind ?? null,
    // What was still when it was decided must be so when it is done.
    stillMs: error === null || error.kind === 'interrupted' ? stillMs : 0,
    ignoreStreaming: found !== 'memory_pressure',
    document: seen.document,
    at: now,
    toldAt: now,
    before: { reloadedAt: health.reloadedAt, tabAt: health.page.tabAt },
    level,
    byPerson: false,
  };
  const offered: Health = { ...known, phase: 'offered', hold: null, order };
  return alone ? spend(offered, order, seen.tab, now) : plainly(offered);
}

function tick(health: Health, { now, isOpen }: Context): Health {
  const { phase, order, tab, asked } = health;
  if (phase === 'well') return health;
  if (tab === null || !isOpen(tab)) {
    // A reload takes the tab away for a moment; its order has its time.
    const young = (phase === 'ordered' || phase === 'acted') && order !== null && now - order.at < ORDER_EXPIRES_MS;
    return young ? health : calm(health);
  }
  const lost = asked.open && now - asked.at >= EXAMINE_LOST_MS;
  return lost ? { ...health, asked: { ...asked, open: false } } : health;
}

/** Nothing is wrong any more. What the turn has spent stays spent. */
function calm(health: Health): Health {
  if (health.phase === 'well') return health;
  const { turn: known, reloads, retries, stays, reloadedAt, page } = health;
  return { ...WELL, turn: known, reloads, retries, stays, reloadedAt, page };
}

function suspect(health: Health, { tab }: Seen, found: Found | null, hold: Reason | null): Health {
  const { phase } = health;
  if (phase === 'suspect' && health.found === found && health.hold === hold && health.tab === tab) return health;
  return { ...health, phase: 'suspect', found, hold, tab, act: null, order: null };
}

function exhausted(health: Health, { tab }: Seen, found: Found): Health {
  if (health.phase === 'exhausted' && health.found === found) return health;
  return { ...health, phase: 'exhausted', found, act: null, hold: null, order: null, tab };
}
