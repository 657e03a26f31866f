/** A workstation of its own for each test. */
import { afterEach, beforeEach } from 'vitest';
import { Workstation } from './workstation.ts';

export let at: Workstation;
beforeEach(() => {
  at = new Workstation();
});
afterEach(() => at.close());
