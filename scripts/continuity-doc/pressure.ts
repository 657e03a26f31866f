/** How long a conversation has grown. Numbers of messages stand for whatever of the counts is reached first. */
import { levelOf, newPressure, type Pressure, press } from '../../extension/machines/pressure/index.ts';
import { explore } from './explore.ts';
import type { Picture } from './page.ts';

const AWAY = {
  possible: false,
  auto: false,
  connected: false,
  quiet: false,
  working: false,
  messageOpen: false,
  transfer: false,
  rateLimited: false,
};
const COUNTS = [1, 32, 40, 46, 50, 60];

export const pressure: Picture = {
  name: 'pressure',
  starts: ['healthy'],
  edges: () =>
    explore<Pressure, number>({
      starts: [newPressure(0)],
      events: () => COUNTS.map((count) => ({ on: `${count} messages`, event: count })),
      step: (state, turnsNamed) => press(state, { type: 'seen', turns: [], turnsNamed }, AWAY, 0).pressure,
      phase: (state) => levelOf(state, 0),
    }),
};
