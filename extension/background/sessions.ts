/** The open conversations under the refs that the runtime gives them; what could not be asked is asked again. */
import type { Event, State } from '../machines/worker/index.ts';
import type { PageIdentity } from '../page.ts';
import type { Registry } from './registry.ts';
import type { RuntimeDoor } from './runtime.ts';

export interface SessionParts {
  registry: Pick<Registry, 'session'>;
  runtime: Pick<RuntimeDoor, 'inbox'>;
  state(): Promise<State>;
  take(event: Event): Promise<unknown>;
}

export function createSessions({ registry, runtime, state, take }: SessionParts) {
  async function learn(page: PageIdentity): Promise<void> {
    const { conversation } = page;
    if (conversation === null) return;
    const ref = await registry.session(page);
    if (ref === null) return;
    await take({ type: 'session', conversation, ref });
    const inbox = await runtime.inbox(ref, null);
    if (inbox !== null && inbox !== 'none') await take({ type: 'inbox', conversation, inbox });
  }

  return {
    learn,
    /** A runtime that was busy when a chat came up has not named it: without a name nobody tells it of its tasks. */
    async learnMissing(): Promise<void> {
      const { tabs, sessions, link } = await state();
      if (link !== 'connected') return;
      const pages = new Map(Object.values(tabs).map(({ page }) => [page.conversation, page]));
      for (const [conversation, page] of pages)
        if (conversation !== null && sessions[conversation] === undefined) await learn(page);
    },
    /** A new runtime knows none of them. */
    async learnAll(): Promise<void> {
      const { tabs } = await state();
      await Promise.all(Object.values(tabs).map(({ page }) => learn(page)));
    },
  };
}
