/**
 * A text area as a framework controls it: what it knows is written back whatever stands there, and a change that it was not
 * told of, or was told of in a way that it does not believe, is no change.
 */
import type { Editor } from './editor.ts';
import { el } from './element.ts';

export function openArea(
  mount: HTMLElement,
  options: {
    attributes: Readonly<Record<string, string>>;
    placeholder: string;
    submit(): void;
    changed(): void;
  },
): Editor {
  const area = el('textarea', { rows: '3', ...options.attributes, placeholder: options.placeholder }, []);
  if (!(area instanceof HTMLTextAreaElement)) throw new Error('A text area was made');
  const native = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
  const read = (): string => String(native?.get?.call(area) ?? '');
  let known = '';
  let tracked = '';
  // Whoever sets the property itself is not believed: the framework has already seen that value.
  Object.defineProperty(area, 'value', {
    configurable: true,
    get: read,
    set(text: string) {
      tracked = text;
      native?.set?.call(area, text);
    },
  });
  const keep = (text: string) => {
    known = text;
    tracked = text;
    native?.set?.call(area, text);
    options.changed();
  };
  area.addEventListener('input', () => {
    if (read() === tracked) return;
    keep(read());
  });
  area.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    options.submit();
  });
  setInterval(() => {
    if (read() !== known) native?.set?.call(area, known);
  }, 120);
  mount.append(area);
  return {
    element: area,
    text: () => known,
    pills: () => [],
    isEmpty: () => known.trim() === '',
    clear: () => keep(''),
    addPill: () => {
      throw new Error('This composer has no pills');
    },
    type: (text) => keep(known + text),
  };
}
