/**
 * A person's press of Send, before the site hears of it: by Enter in the composer, by the Send control, or by the form. What
 * we press ourselves is no trusted event, only what the form then says of it is; so text of ours is passed there, and kept
 * from a person's press, which would send it before the worker has given leave.
 */

import { sameText } from '../../machines/page/index.ts';
import type { SiteAdapter } from '../../site/index.ts';
import { isChoosing } from '../listen.ts';

export interface SubmitParts {
  adapter: SiteAdapter;
  /** Whether a press is taken over now. */
  isActive(): boolean;
  /** The text of ours that is being sent now; null: none is. */
  ours(): string | null;
  /** Called for each press that was taken over. */
  submitted(text: string): void;
  ended: AbortSignal;
}

export function interceptSubmits({ adapter, isActive, ours, submitted, ended }: SubmitParts): void {
  const options = { capture: true, signal: ended };

  function take(event: Event): void {
    if (!event.isTrusted) return;
    const draft = adapter.draft().found;
    if (draft === null || draft === '') return;
    const sending = ours();
    const isOurs = sending !== null && sameText(draft, sending);
    if (isOurs ? event.type === 'submit' : !isActive()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!isOurs) submitted(draft);
  }
  const isIn = (element: HTMLElement | null, target: EventTarget | null) =>
    element !== null && target instanceof Node && element.contains(target);

  // On the window, so that no listener of the page comes before ours.
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
      if (isChoosing(event)) return;
      if (isIn(adapter.composer().found, event.target)) take(event);
    },
    options,
  );
  window.addEventListener(
    'click',
    (event) => {
      const send = adapter.send().found;
      if (!(send instanceof HTMLTextAreaElement) && isIn(send, event.target)) take(event);
    },
    options,
  );
  window.addEventListener(
    'submit',
    (event) => {
      const composer = adapter.composer().found;
      if (event.target instanceof Node && composer !== null && event.target.contains(composer)) take(event);
    },
    options,
  );
}
