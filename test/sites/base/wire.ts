/** What the page of a plain chat site and its server say to each other. */
import type { Turn } from './truth.ts';

export interface PlainView {
  revision: number;
  /** Null: none is shown, or no such chat. */
  conversation: { id: string; title: string; project: string | null; turns: Turn[] } | null;
  looks: PlainLooks;
  /** The address of the account that is signed in, for pages that show it; null: nobody. */
  signedIn: string | null;
}

/** How the page looks and behaves today. */
export interface PlainLooks {
  /** `renamed`: a day on which test ids, classes and labels are others. */
  names: 'usual' | 'renamed';
  /** `two`: a second Send that can be seen. `hidden`: one stands there that cannot. `off`: it may not be pressed. */
  send: 'usual' | 'two' | 'hidden' | 'off';
  /** `none`: messages name themselves in no way. `torn`: what names them disagrees. `shared`: two bear one name. */
  ids: 'usual' | 'none' | 'torn' | 'shared';
  /** A pale suggestion that stands in an empty composer and is nobody's draft. */
  suggestion: string | null;
  /** A file that waits beside the words. */
  attachment: boolean;
  /** A dialog that a person must answer. */
  dialog: string | null;
}

/** What a press of Send comes to. */
export type PlainSent = { accepted: true; conversation: string } | { accepted: false };
