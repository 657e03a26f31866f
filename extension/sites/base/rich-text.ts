/**
 * An editor that owns its DOM, as ProseMirror and Quill do. Text goes in by editing commands, a line at a time, because
 * pasting into it drops blank lines and writing `innerHTML` is undone.
 */
import type { Editor } from './composer.ts';

/** `pill`: an atom that stands among the words and is none of them; it stays when text is taken away. */
export function richText(pill: string | null): Editor {
  const pillsIn = (composer: HTMLElement) => (pill === null ? [] : [...composer.querySelectorAll(pill)]);

  /** What the editor shows without anybody having written it cannot be edited, is a widget, or is hidden from readers. */
  const isWritten = (element: HTMLElement): boolean =>
    element.getAttribute('contenteditable') !== 'false' &&
    element.getAttribute('aria-hidden') !== 'true' &&
    !element.classList.contains('ProseMirror-widget') &&
    (pill === null || !element.matches(pill));

  function line(block: Node): string {
    let text = '';
    for (const node of block.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) text += node.textContent ?? '';
      else if (node instanceof HTMLBRElement) text += isTrailingBreak(node) ? '' : '\n';
      else if (node instanceof HTMLElement && isWritten(node)) text += line(node);
    }
    return text;
  }

  return {
    words(composer) {
      const blocks = [...composer.children];
      const lines = (blocks.length > 0 ? blocks : [composer]).map((block) => line(block));
      return lines.join('\n').replaceAll('\u00a0', ' ').trim();
    },
    type(composer, text) {
      const { ownerDocument: document } = composer;
      // The caret at the end, so that pills that stand before stay where they are.
      select(composer, (range) => {
        range.selectNodeContents(composer.lastElementChild ?? composer);
        range.collapse(false);
      });
      const lines = text.replaceAll('\r\n', '\n').split('\n');
      lines.forEach((each, at) => {
        if (at > 0) document.execCommand('insertParagraph');
        if (each !== '') document.execCommand('insertText', false, each);
      });
    },
    empty(composer) {
      select(composer, (range) => {
        range.selectNodeContents(composer);
        const last = pillsIn(composer).at(-1);
        if (last !== undefined) range.setStartAfter(last);
      });
      composer.ownerDocument.execCommand('delete');
    },
  };
}

function isTrailingBreak(node: HTMLBRElement): boolean {
  return node.classList.contains('ProseMirror-trailingBreak') || node.nextSibling === null;
}

function select(composer: HTMLElement, choose: (range: Range) => void): void {
  const { ownerDocument: document } = composer;
  composer.focus({ preventScroll: true });
  const range = document.createRange();
  choose(range);
  const selection = document.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}
