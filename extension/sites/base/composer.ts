/**
 * The composer of a site: how a draft is told from nothing, how our text goes in and how it is taken away again. What it
 * then holds is read back before anything is sent. How a kind of editor takes text is its own file's.
 */
import { isPartOf, sameText } from '../../machines/page/index.ts';
import type { Look, SiteAdapter } from '../../site/index.ts';
import { isVisible, only } from './find.ts';
import { INSERT_SETTLE_MS, INSERT_TRIES } from './limits.ts';

/** Where a site keeps it. */
export interface ComposerPlaces {
  composer: readonly string[];
  form: string;
  /** What stands beside the words and goes out with them. */
  attachments: string;
}

/** A kind of editor. */
export interface Editor {
  /** What a person has written there: blank at both ends of the whole, but with the blank lines between. */
  words(composer: HTMLElement): string;
  /** Types at the end of what stands there. */
  type(composer: HTMLElement, text: string): void;
  /** Takes all words away. */
  empty(composer: HTMLElement): void;
}

export type Composer = Pick<SiteAdapter, 'composer' | 'draft' | 'attached' | 'insert' | 'clear'> & {
  /** The form around it; null while no composer is found. */
  form(): HTMLElement | null;
};

export function createComposer(
  document: Document,
  places: ComposerPlaces,
  editor: Editor,
  pause: (ms: number) => Promise<void>,
): Composer {
  const composer = () => only(document, places.composer);
  const form = () => composer().found?.closest<HTMLElement>(places.form) ?? null;

  /** A person's words: without pills, the placeholder, a pale suggestion and no-break spaces. */
  function draft(): Look<string> {
    const at = composer();
    return at.found === null ? at : { found: editor.words(at.found) };
  }

  /** What the composer holds once it holds `text`, or after a while. */
  async function settled(text: string, signal: AbortSignal): Promise<Look<string>> {
    let held = draft();
    for (const ms of INSERT_SETTLE_MS) {
      if (signal.aborted || held.found === null || sameText(held.found, text)) return held;
      await pause(ms);
      held = draft();
    }
    return held;
  }

  async function clear(text: string): Promise<boolean> {
    const at = composer();
    if (at.found === null) return false;
    const held = editor.words(at.found);
    if (held === '') return true;
    if (!sameText(held, text)) return false;
    editor.empty(at.found);
    for (const ms of INSERT_SETTLE_MS) {
      if (draft().found === '') return true;
      await pause(ms);
    }
    return draft().found === '';
  }

  return {
    composer,
    form,
    draft,
    clear,
    attached: () => [...(form()?.querySelectorAll(places.attachments) ?? [])].some(isVisible),
    /** Text that did not arrive whole is taken away again before the next try. */
    async insert(text, signal) {
      for (let tried = 1; ; tried += 1) {
        const at = composer();
        if (at.found === null) return at;
        const before = editor.words(at.found);
        if (before !== '') return { found: before };
        editor.type(at.found, text);
        const held = await settled(text, signal);
        if (held.found === null || sameText(held.found, text) || tried === INSERT_TRIES || signal.aborted) return held;
        if (!isPartOf(held.found, text) || !(await clear(held.found))) return held;
      }
    },
  };
}
