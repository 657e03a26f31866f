/** Who is signed in here, as it is told to the worker: a digest that says nothing outside of this browser profile. */
import type { AccountMark, Reason, SignedInHere } from '../messages.ts';
import type { SiteAdapter } from '../site/index.ts';
import type { Clock } from './clock.ts';
import { ACCOUNT_LOOK_MS, ACCOUNT_LOOKS } from './limits.ts';

export interface AccountLook {
  /** Asked of the site each time: what it said a moment ago may be another's by now. */
  signedIn(salt: string): Promise<SignedInHere>;
  /** Why what is meant for that account may not be done here and now; null: it may. */
  objection(meant: AccountMark | undefined): Promise<Reason | null>;
}

export function createAccountLook(parts: { adapter: SiteAdapter; clock: Clock; ended: AbortSignal }): AccountLook {
  const { adapter, clock, ended } = parts;

  async function signedIn(salt: string): Promise<SignedInHere> {
    for (let looked = 1; ; looked += 1) {
      const look = await adapter.account?.(ended);
      if (look === undefined) return { account: null, why: 'account_unknown' };
      if (look.found !== null) return { account: await digestOf(salt, adapter.site, look.found) };
      if (look.why === 'missing') return { account: null, why: 'signed_out' };
      if (looked === ACCOUNT_LOOKS || ended.aborted) return { account: null, why: 'account_unknown' };
      await clock.pause(ACCOUNT_LOOK_MS);
    }
  }

  return {
    signedIn,
    async objection(meant) {
      if (meant === undefined) return null;
      const now = await signedIn(meant.salt);
      if (now.account === null) return now.why;
      return now.account === meant.digest ? null : 'account_changed';
    },
  };
}

async function digestOf(salt: string, site: string, account: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(['herdr-mcp/account', salt, site, account]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
