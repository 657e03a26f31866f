/**
 * Whose chats pages show: a digest that each page makes of its site's own word, under a salt of this browser profile. Who
 * it is never leaves the page; what comes here names nobody anywhere else.
 */
import { isBackingOff } from '../machines/recovery/index.ts';
import type { State } from '../machines/worker/index.ts';
import type { AccountMark, SignedInHere, WorkerAsks } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import { ACCOUNT_FRESH_MS } from './limits.ts';

type Place = Pick<PageIdentity, 'site' | 'conversation'>;

export interface Accounts {
  /** As the page says it now; null: no page of ours is there. */
  signedIn(tab: number): Promise<SignedInHere | null>;
  /** What was said of that page's account a moment ago, else what it says now; null: nobody is known. */
  of(place: Place): Promise<string | null>;
  mark(digest: string): Promise<AccountMark>;
}

export interface AccountParts {
  /** The profile's seed, which is random and stays here. */
  seed(): Promise<string>;
  state(): Promise<State>;
  askPage(
    tab: number,
    kind: 'account',
    body: WorkerAsks['account']['ask'],
  ): Promise<WorkerAsks['account']['answer'] | null>;
  nowMs(): number;
}

export function createAccounts({ seed, state, askPage, nowMs }: AccountParts): Accounts {
  /** By document: another one may be another account's. */
  const known = new Map<string, { digest: string; at: number }>();
  let salting: Promise<string> | undefined;
  const salt = () => (salting ??= seed().then((text) => sha256(`herdr-mcp/salt\n${text}`)));

  async function signedIn(tab: number): Promise<SignedInHere | null> {
    const { tabs, recovery } = await state();
    const { document, page } = tabs[tab] ?? {};
    // A site that refuses is asked for nothing.
    if (page !== undefined && isBackingOff(recovery, page.site, nowMs()))
      return { account: null, why: 'account_unknown' };
    const answer = await askPage(tab, 'account', { salt: await salt() });
    if (!answer?.ok) return null;
    const { account } = answer.value;
    if (document !== undefined) {
      if (account === null) known.delete(document);
      else known.set(document, { digest: account, at: nowMs() });
    }
    return answer.value;
  }

  return {
    signedIn,
    async of({ site, conversation }) {
      const { tabs } = await state();
      const open = Object.entries(tabs).filter(
        ([, { page }]) => page.site === site && page.conversation === conversation,
      );
      for (const document of known.keys())
        if (!Object.values(tabs).some((tab) => tab.document === document)) known.delete(document);
      for (const [id, { document }] of open) {
        const before = known.get(document);
        const age = before === undefined ? Number.POSITIVE_INFINITY : nowMs() - before.at;
        if (before !== undefined && age >= 0 && age < ACCOUNT_FRESH_MS) return before.digest;
        const now = await signedIn(Number(id));
        if (now?.account != null) return now.account;
      }
      return null;
    },
    mark: async (digest) => ({ salt: await salt(), digest }),
  };
}

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
