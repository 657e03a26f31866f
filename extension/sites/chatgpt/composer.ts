/**
 * The composer: a ProseMirror, which owns its DOM. Text goes in by editing commands, a line at a time, because pasting
 * into it drops blank lines and writing `innerHTML` is undone; what it then holds is read back before anything is sent.
 */
import { isPartOf, sameText } from '../../machines/page/index.ts';
import type { Look } from '../../site/index.ts';
import { isVisible, only } from './find.ts';
import { INSERT_SETTLE_MS, INSERT_TRIES } from './limits.ts';
import { SELECTORS } from './selectors.ts';

export function composer(document: Document): Look<HTMLElement> {
  return only(document, SELECTORS.composer);
}

/** A person's words: without pills, the placeholder, a pale suggestion and no-break spaces. */
export function draft(document: Document): Look<string> {
  const editor = composer(document);
  return editor.found === null ? editor : { found: words(editor.found) };
}

/** Files, pictures and pasted texts that wait in the composer's form. */
export function attached(document: Document): boolean {
  const form = composer(document).found?.closest(SELECTORS.form);
  return [...(form?.querySelectorAll(SELECTORS.attachments) ?? [])].some(isVisible);
}

/** Blank at both ends of the whole, but with the blank lines between. */
export function words(editor: HTMLElement): string {
  const blocks = [...editor.children];
  const lines = (blocks.length > 0 ? blocks : [editor]).map((block) => line(block));
  return lines.join('\n').replaceAll('\u00a0', ' ').trim();
}

function line(block: Node): string {
  let text = '';
  for (const node of block.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) text += node.textContent ?? '';
    else if (node instanceof HTMLBRElement) text += isTrailingBreak(node) ? '' : '\n';
    else if (node instanceof HTMLElement && isWritten(node)) text += line(node);
  }
  return text;
}

function isTrailingBreak(node: HTMLBRElement): boolean {
  return node.classList.contains('ProseMirror-trailingBreak') || node.nextSibling === null;
}

/** What the editor shows without anybody having written it cannot be edited, is a widget, or is hidden from readers. */
function isWritten(element: HTMLElement): boolean {
  return (
    element.getAttribute('contenteditable') !== 'false' &&
    element.getAttribute('aria-hidden') !== 'true' &&
    !element.classList.contains('ProseMirror-widget') &&
    !element.matches(SELECTORS.pill)
  );
}

/** The caret to the end, so that pills that stand before stay where they are. */
function caretToEnd(editor: HTMLElement): void {
  editor.focus({ preventScroll: true });
  const range = editor.ownerDocument.createRange();
  range.selectNodeContents(editor.lastElementChild ?? editor);
  range.collapse(false);
  const selection = editor.ownerDocument.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/**
 * Puts `text` in and resolves with what the composer then holds. A composer that holds anything is left alone: it is
 * answered with what stands there. Text that did not arrive whole is taken away again before the next try.
 */
export async function insert(
  document: Document,
  text: string,
  signal: AbortSignal,
  pause: (ms: number) => Promise<void>,
): Promise<Look<string>> {
  for (let tried = 1; ; tried += 1) {
    const editor = composer(document);
    if (editor.found === null) return editor;
    const before = words(editor.found);
    if (before !== '') return { found: before };
    type(editor.found, text);
    const held = await settled(document, text, signal, pause);
    if (held.found === null || sameText(held.found, text) || tried === INSERT_TRIES || signal.aborted) return held;
    if (!isPartOf(held.found, text) || !(await clear(document, held.found, pause))) return held;
  }
}

function type(editor: HTMLElement, text: string): void {
  const { ownerDocument: document } = editor;
  caretToEnd(editor);
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  lines.forEach((each, at) => {
    if (at > 0) document.execCommand('insertParagraph');
    if (each !== '') document.execCommand('insertText', false, each);
  });
}

/** What the composer holds once it holds `text`, or after a while. */
async function settled(
  document: Document,
  text: string,
  signal: AbortSignal,
  pause: (ms: number) => Promise<void>,
): Promise<Look<string>> {
  let held = draft(document);
  for (const ms of INSERT_SETTLE_MS) {
    if (signal.aborted || held.found === null || sameText(held.found, text)) return held;
    await pause(ms);
    held = draft(document);
  }
  return held;
}

/** Takes exactly `text` away; what stands there beside it stays, and then the answer is false. */
export async function clear(document: Document, text: string, pause: (ms: number) => Promise<void>): Promise<boolean> {
  const editor = composer(document);
  if (editor.found === null) return false;
  const held = words(editor.found);
  if (held === '') return true;
  if (!sameText(held, text)) return false;
  editor.found.focus({ preventScroll: true });
  const range = document.createRange();
  const pills = [...editor.found.querySelectorAll(SELECTORS.pill)];
  const last = pills.at(-1);
  range.selectNodeContents(editor.found);
  if (last !== undefined) range.setStartAfter(last);
  const selection = document.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  document.execCommand('delete');
  for (const ms of INSERT_SETTLE_MS) {
    if (draft(document).found === '') return true;
    await pause(ms);
  }
  return draft(document).found === '';
}
