/** What this browser remembers of the panel: the pin, what stands open, and what is under way. Shared by all windows. */
import { type Signal, signal } from '@preact/signals';
import { browser } from 'wxt/browser';
import type { ControlRequest } from '../../contract/control/index.ts';
import { askWorker } from '../panel-client.ts';
import {
  type Act,
  type Desk,
  type DeskEffect,
  type DeskEvent,
  deskStep,
  EMPTY_DESK,
  isOpen,
  type Pin,
  readDesk,
  readPin,
} from './desk/index.ts';
import { OTHERS_MS } from './limits.ts';

const DESK = 'panel.desk';
const PIN = 'panel.pin';
const FOLDS = 'panel.folds';

/** By workspace, and `devices`: whether it stands open. */
export type Folds = Readonly<Record<string, boolean>>;

export interface Keep {
  desk: Signal<Desk>;
  pin: Signal<Pin | null>;
  folds: Signal<Folds>;
  /** The browser's storage cannot be written: nothing was done. */
  trouble: Signal<boolean>;
  load(): Promise<void>;
  setPin(pin: Pin | null): Promise<void>;
  fold(changed: Folds): Promise<void>;
  /** Writes it down, then does it. */
  dispatch(event: DeskEvent): Promise<void>;
}

export function createKeep(): Keep {
  const area = browser.storage.local;
  const desk = signal<Desk>(EMPTY_DESK);
  const pin = signal<Pin | null>(null);
  const folds = signal<Folds>({});
  const trouble = signal(false);
  /** Keys that this very page has sent and waits for. */
  const mine = new Set<string>();

  async function dispatch(event: DeskEvent): Promise<void> {
    try {
      // Two windows may act at once: one after the other, each on what is written down.
      const effects = await navigator.locks.request('herdr.panel.desk', async () => {
        const before = readDesk((await area.get(DESK))[DESK]);
        const step = deskStep(before, event);
        if (step.desk !== before) await area.set({ [DESK]: step.desk });
        desk.value = step.desk;
        trouble.value = false;
        return step.effects;
      });
      await Promise.all(effects.map(perform));
    } catch (error) {
      trouble.value = true;
      console.error('herdr-mcp: what was to be done could not be written down, so it was not done', error);
    }
  }

  async function perform(effect: DeskEffect): Promise<void> {
    if (effect.type === 'lookup') {
      const answer = await askWorker('panel.lookup', { key: effect.key });
      await dispatch({ type: 'looked', key: effect.key, found: answer.ok ? answer.value : null, at: Date.now() });
      return;
    }
    const { key } = effect.act;
    mine.add(key);
    const answer = await askWorker('panel.act', requestOf(effect.act));
    mine.delete(key);
    await dispatch({ type: 'answered', key, answer: answer.ok ? answer.value : null });
  }

  /** What another window has sent may have lost that window. */
  async function watchOthers(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, OTHERS_MS));
      const others = Object.values(desk.value.acts).filter((act) => isOpen(act) && act.phase !== 'uncertain');
      if (others.some(({ key }) => !mine.has(key))) await dispatch({ type: 'reopened' });
    }
  }

  return {
    desk,
    pin,
    folds,
    trouble,
    async load() {
      const stored = await area.get([PIN, FOLDS]);
      pin.value = readPin(stored[PIN]);
      folds.value = readFolds(stored[FOLDS]);
      area.onChanged.addListener((changes) => {
        if (changes[DESK]) desk.value = readDesk(changes[DESK].newValue);
        if (changes[PIN]) pin.value = readPin(changes[PIN].newValue);
      });
      await dispatch({ type: 'reopened' });
      void watchOthers();
    },
    async setPin(next) {
      pin.value = next;
      await area.set({ [PIN]: next });
    },
    async fold(changed) {
      folds.value = { ...folds.value, ...changed };
      await area.set({ [FOLDS]: folds.value });
    },
    dispatch,
  };
}

function requestOf({ action, target, key, text }: Act): ControlRequest {
  const about = { target, idempotency_key: key };
  return action === 'interrupt'
    ? { action, ...about, args: { confirmed: true } }
    : { action, ...about, args: { text } };
}

function readFolds(stored: unknown): Folds {
  const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
}
