/**
 * An act from its being written down to what became of it. The state that is written down already has it spent, so that a
 * worker that dies before the page is told has lost a reload, and never makes two of one. Pure.
 */
import type { Reason } from '../../messages.ts';
import { LEVEL2_FRESH_MS, LEVEL2_PAUSE_MS, ORDER_AGAIN_MS, ORDER_EXPIRES_MS } from './limits.ts';
import type { Advice, Context, Health, Order } from './state.ts';

export const plainly = (health: Health): Advice => ({ health, effects: [], refused: null });

/** Written down as done. What comes after this is the page's. */
export function spend(health: Health, offered: Order, tab: number, now: number, byPerson = false): Advice {
  const order: Order = {
    ...offered,
    byPerson,
    id: `r:${now.toString(36)}:${offered.document.slice(0, 8)}`,
    at: now,
    toldAt: now,
  };
  const { act, level } = order;
  const spent: Health = {
    ...health,
    phase: 'ordered',
    hold: null,
    tab,
    order,
    actedAt: null,
    reloads: health.reloads + (act === 'reload' && !level ? 1 : 0),
    retries: health.retries + (act === 'retry' ? 1 : 0),
    // The browser's reload is written down when the page has said that it may be.
    reloadedAt: act === 'reload' ? now : health.reloadedAt,
    page: level && act === 'reload' ? { ...health.page, level1At: now } : health.page,
  };
  return { health: spent, effects: [{ type: 'recover', tab, order }], refused: null };
}

/** Written down, and the same document goes on: told again, under the id that it acts on once. */
export function stillOrdered(health: Health, order: Order, { now, auto, backingOff }: Context): Advice {
  const { tab } = health;
  if (now - order.at >= ORDER_EXPIRES_MS) return plainly({ ...health, phase: 'suspect', act: null, order: null });
  // A person who has switched Auto off meanwhile is not overruled by an order of before.
  const allowed = (auto || order.byPerson) && !backingOff;
  if (tab === null || !allowed || now - order.toldAt < ORDER_AGAIN_MS) return plainly(health);
  const told = { ...order, toldAt: now };
  return { health: { ...health, order: told }, effects: [{ type: 'recover', tab, order: told }], refused: null };
}

/** What the page says of it. */
export function answered(
  health: Health,
  { id, answer }: { id: string; answer: 'done' | 'gone' | Reason },
  context: Context,
): Advice {
  const { order, tab } = health;
  const { now } = context;
  if (health.phase !== 'ordered' || order === null || order.id !== id || answer === 'gone') return plainly(health);
  if (answer === 'done' && order.act !== 'tab') return plainly({ ...health, phase: 'acted', actedAt: now });
  if (answer === 'done') {
    const { tabAt } = health.page;
    const late = now - order.toldAt > LEVEL2_FRESH_MS || (tabAt !== null && now - tabAt < LEVEL2_PAUSE_MS);
    if (tab === null || late || context.backingOff || !(context.auto || order.byPerson))
      return plainly({ ...health, phase: 'suspect', act: null, order: null });
    const page = { ...health.page, level2At: now, tabAt: now };
    const done: Health = { ...health, phase: 'acted', actedAt: now, reloadedAt: now, page };
    return { health: done, effects: [{ type: 'reload_tab', tab }], refused: null };
  }
  return givenBack(health, order, answer);
}

/** The word of the page that agreed. Once: with the order goes what the word is about. */
export function declined(health: Health, { id, reason }: { id: string; reason: Reason }): Advice {
  const { order, phase } = health;
  const awaited = phase === 'ordered' || phase === 'acted';
  if (!awaited || order === null || order.id !== id || order.act === 'retry') return plainly(health);
  return givenBack(health, order, reason);
}

/** Certainly not done: what it would have cost is not spent. */
function givenBack(health: Health, order: Order, hold: Reason): Advice {
  const { page } = health;
  return plainly({
    ...health,
    stays: health.stays || hold === 'leave_declined',
    phase: 'held',
    hold,
    actedAt: null,
    order: null,
    reloads: health.reloads - (order.act === 'reload' && !order.level ? 1 : 0),
    retries: health.retries - (order.act === 'retry' ? 1 : 0),
    reloadedAt: order.before.reloadedAt,
    page: !order.level
      ? page
      : order.act === 'reload'
        ? { ...page, level1At: null }
        : { ...page, level2At: null, tabAt: order.before.tabAt },
    asked: { ...health.asked, times: 1 },
  });
}

/** A person takes the offered step. It costs the same, so that nothing is done twice when Auto is switched on later. */
export function pressed(
  health: Health,
  { tab, document }: { tab: number; document: string },
  context: Context,
): Advice {
  const { order, phase } = health;
  const refuse = (refused: Reason): Advice => ({ health, effects: [], refused });
  if (phase !== 'offered' || order === null || health.tab !== tab) return refuse('nothing_to_recover');
  if (context.backingOff) return refuse('rate_limited');
  if (context.transferring) return refuse('transfer_active');
  if (order.document !== document) return refuse('nothing_to_recover');
  return spend(health, order, tab, context.now, true);
}
