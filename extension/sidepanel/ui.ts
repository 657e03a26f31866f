/** What every part of the panel shares: the words, what is live, what is remembered, and what may be pressed. */
import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PaneRow } from '../../contract/control/index.ts';
import { type Language, say } from '../../look/words/index.ts';
import type { PanelState } from '../panel.ts';
import type { Keep } from './keep.ts';
import type { Live } from './live.ts';
import type { LookedAt } from './looked-at.ts';

type Values = Readonly<Record<string, string | number>>;

export interface Ui {
  language: Language;
  state: PanelState;
  live: Live;
  keep: Keep;
  lookedAt: LookedAt;
  /** ms since 1970, going on once a second while somebody looks. */
  clock: ReadonlySignal<number>;
  bind(workspace: string): void;
  unbind(binding: string): void;
  /** Words of the live part. */
  t(key: Parameters<typeof say<'control'>>[2], values?: Values): string;
  /** Words of the panel. */
  p(key: Parameters<typeof say<'panel'>>[2], values?: Values): string;
}

export const wordsOf = (language: Language): Pick<Ui, 't' | 'p'> => ({
  t: (key, values = {}) => say(language, 'control', key, values),
  p: (key, values = {}) => say(language, 'panel', key, values),
});

export const UiContext = createContext<Ui | null>(null);

export function useUi(): Ui {
  const ui = useContext(UiContext);
  if (ui === null) throw new Error('a part of the panel is drawn outside of it');
  return ui;
}

/** What a pane is called: its agent, else what it is. */
export const nameOf = (ui: Pick<Ui, 't'>, row: PaneRow): string => row.agent ?? `${ui.t('terminal')} ${row.id}`;
