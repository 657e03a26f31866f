/** One element with its attributes and children. Text is set as text, never parsed. */
export function el(
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly (HTMLElement | string)[],
): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
