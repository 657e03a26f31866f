/** What the stand-in's page and its server say to each other, besides the addresses that the real site has too. */

import type { Card, Project, Turn } from '../base/truth.ts';
import type { Names } from './names.ts';

export interface View {
  revision: number;
  /** Null: no such conversation, or none is shown. */
  conversation: {
    id: string;
    title: string;
    project: string | null;
    turns: Turn[];
    cards: Card[];
    threadError: string | null;
    retry: boolean;
  } | null;
  projects: Project[];
  looks: Looks;
}

/** How the page looks and behaves today. */
export interface Looks {
  names: Names;
  /** How many turns of the end are mounted; the rest is not in the document. */
  mounted: number;
  /** Connectors in the "+" menu. Two of one name are two entries. */
  connectors: string[];
  /** A pale suggestion that stands in an empty composer and is nobody's draft. */
  suggestion: string | null;
  /** How often Archive stands in the menu of the chat. */
  archive: 'one' | 'two' | 'none';
  /** The switch between Chat and Work; `two`: it stands there twice; `stuck`: it does not move. Null: the page has none. */
  mode: 'chat' | 'work' | 'two' | 'stuck' | null;
  /** Whether the editor swallows what is typed into it for a while after the page was shown. */
  sluggish: boolean;
}

/** What a press of Send comes to. */
export type SendAnswer =
  | { accepted: true; conversation: string; user: string }
  | { accepted: false; error: string; retryable: boolean };
