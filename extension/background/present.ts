/**
 * Which tabs really show a chat: a tab that has gone to another site says nothing any more, and stays in the books until it
 * is asked. Asked only where it matters, when several tabs are said to show one chat.
 */

import type { Event, State } from '../machines/worker/index.ts';
import type { AskPage } from './ask-page.ts';

export interface PresentParts {
  take(event: Event): Promise<unknown>;
  state(): Promise<State>;
  askPage: AskPage;
}

export async function lookWhoIsThere(parts: PresentParts, conversation: string | null): Promise<void> {
  const open = Object.entries((await parts.state()).tabs).filter(([, { page }]) => page.conversation === conversation);
  if (conversation === null || open.length < 2) return;
  await Promise.all(
    open.map(async ([id, { document }]) => {
      const tab = Number(id);
      const answer = await parts.askPage(tab, null, 'probe', null);
      if (answer === null) return parts.take({ type: 'no_receiver', tab, document });
      if (!answer.ok) return undefined;
      const { page, version, document: now, state } = answer.value;
      return parts.take({ type: 'page', from: { tab, document: now, version, page }, state });
    }),
  );
}
