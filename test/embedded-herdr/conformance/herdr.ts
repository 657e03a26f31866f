/** The Herdr that a file of this suite asks, from its first test to its last. */
import { afterAll, beforeAll } from 'vitest';
import { endHerdr, type Herdr, startHerdr } from '../harness/index.ts';

export let herdr: Herdr;
beforeAll(async () => {
  herdr = await startHerdr();
});
afterAll(() => endHerdr(herdr));
