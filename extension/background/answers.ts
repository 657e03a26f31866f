/** Answers to what the delivery service sent: told to it once they are complete, from the turn that belongs to them. */
import type { Event, State } from '../machines/worker/index.ts';
import type { Turn, WorkerAsks } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import type { DispatchDoor } from './dispatches.ts';
import { derivedId } from './journal.ts';

export interface AnswerParts {
  askPage(tab: number, conversation: string, of: readonly string[]): Promise<WorkerAsks['answer']['answer'] | null>;
  dispatches: Pick<DispatchDoor, 'settle'>;
  state(): Promise<State>;
  take(event: Event): Promise<unknown>;
}

export function createAnswers({ askPage, dispatches, state, take }: AnswerParts) {
  async function ended(page: PageIdentity, { user, assistant }: { user: Turn | null; assistant: Turn | null }) {
    const { conversation } = page;
    if (conversation === null || user === null || assistant === null) return;
    const own = Object.values((await state()).awaited).filter((one) => one.conversation === conversation);
    if (own.length === 0) return;
    // By the site's id, or by the digest that stands for it where the site shows none.
    const ids = [user.id, await derivedId(conversation, 'user', user.text)];
    for (const { dispatch, message, generation } of own.filter((one) => ids.includes(one.message))) {
      const id = assistant.id ?? (await derivedId(conversation, 'assistant', assistant.text));
      const told = await dispatches.settle({ dispatch, message, generation, assistant: { id, text: assistant.text } });
      // Nobody has answered: the page is asked again in a while.
      if (told !== null) await take({ type: 'awaited_over', dispatch });
    }
  }

  return {
    ended,
    /** A page of the chat may show the answer whole. */
    async look(tab: number, conversation: string, of: readonly string[]): Promise<void> {
      const shown = await askPage(tab, conversation, of);
      if (shown?.ok) await ended(shown.value.page, shown.value);
    },
  };
}
