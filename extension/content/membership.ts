/** In which Project the chat that is shown lies, where its address does not say: the site's own list is asked once. */
import type { PageIdentity } from '../page.ts';
import type { SiteAdapter } from '../site/index.ts';

export interface MembershipParts {
  adapter: Pick<SiteAdapter, 'membership'>;
  ended: AbortSignal;
  /** Nothing may be asked of the site now. */
  isHeld(): boolean;
}

export function createMembership({ adapter, ended, isHeld }: MembershipParts) {
  let known: { conversation: string; project: PageIdentity['project'] } | null = null;
  return {
    /** The address, completed by what that list said. */
    completed(identity: PageIdentity | null): PageIdentity | null {
      if (identity?.project !== 'unknown' || known?.conversation !== identity.conversation) return identity;
      return { ...identity, project: known.project };
    },
    async learn({ conversation, project }: PageIdentity): Promise<void> {
      if (project !== 'unknown' || conversation === null || isHeld()) return;
      if (known?.conversation === conversation) return;
      known = { conversation, project: 'unknown' };
      const found = await adapter.membership(conversation, ended);
      if (known?.conversation !== conversation) return;
      // A site that refuses has not said that it does not know.
      known = found === 'unknown' && isHeld() ? null : { conversation, project: found };
    },
  };
}
