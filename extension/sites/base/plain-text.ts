/**
 * A text area that a framework controls: it writes back what it knows, so our text is set the way that the browser itself
 * sets a typed one, and said to have been typed.
 */
import type { Editor } from './composer.ts';

export const plainText: Editor = {
  words: (composer) => written(composer).replaceAll('\u00a0', ' ').trim(),
  type: (composer, text) => set(composer, written(composer) + text),
  empty: (composer) => set(composer, ''),
};

const written = (composer: HTMLElement): string => (composer instanceof HTMLTextAreaElement ? composer.value : '');

function set(composer: HTMLElement, text: string): void {
  if (!(composer instanceof HTMLTextAreaElement)) return;
  composer.focus({ preventScroll: true });
  // The framework watches the element's own `value`; the prototype's setter goes past it, and the event tells it.
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(composer, text);
  composer.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
}
