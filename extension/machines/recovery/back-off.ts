/** A site that refuses with 429 is left alone (reference/extension.md 4.10): never a reason to retry or to reload. Pure. */
import type { SiteId } from '../../page.ts';
import { BACK_OFF_MS, REFUSAL_TOGETHER_MS, REFUSALS_FORGOTTEN_MS, REFUSALS_MAX } from './limits.ts';
import type { BackOff, Recovery } from './state.ts';

const [FIRST, SECOND, LONGEST] = BACK_OFF_MS;

/** The site has refused. Several refusals of one moment count once. */
export function refused(recovery: Recovery, site: SiteId, now: number): Recovery {
  const before = recovery.backOff[site];
  const since = before === undefined ? Number.POSITIVE_INFINITY : now - before.at;
  if (before !== undefined && since >= 0 && since < REFUSAL_TOGETHER_MS) return recovery;
  const counted = before === undefined || since >= REFUSALS_FORGOTTEN_MS ? 0 : before.count;
  const count = Math.min(counted + 1, REFUSALS_MAX);
  const pause = count === 1 ? FIRST : count === 2 ? SECOND : LONGEST;
  return withBackOff(recovery, site, { count, at: now, until: now + pause });
}

/** Whether nothing automatic of ours may ask anything of this site now. */
export function isBackingOff({ backOff }: Recovery, site: SiteId, now: number): boolean {
  const known = backOff[site];
  return known !== undefined && now < known.until;
}

/** Until when, as it is written down; null: the site may be asked. */
export function backOffUntil({ backOff }: Recovery, site: SiteId): number | null {
  const until = backOff[site]?.until ?? 0;
  return until > 0 ? until : null;
}

/** What is over is over; how often it was stays known. A clock that was put back lengthens nothing. */
export function withoutOver(recovery: Recovery, now: number): Recovery {
  let next = recovery;
  for (const [site, known] of Object.entries(recovery.backOff) as [SiteId, BackOff][]) {
    if (known.at > now)
      next = withBackOff(next, site, { ...known, at: now, until: Math.min(known.until, now + LONGEST) });
    else if (known.until > 0 && known.until <= now) next = withBackOff(next, site, { ...known, until: 0 });
  }
  return next;
}

function withBackOff(recovery: Recovery, site: SiteId, backOff: BackOff): Recovery {
  return { ...recovery, backOff: { ...recovery.backOff, [site]: backOff } };
}
