/** The machines that docs/continuity.md shows, one file each. */
import { auto } from './auto.ts';
import { delivery } from './delivery.ts';
import { handoff } from './handoff.ts';
import type { Picture } from './page.ts';
import { pressure } from './pressure.ts';
import { recovery } from './recovery.ts';

export const PICTURES: readonly Picture[] = [delivery, recovery, auto, pressure, handoff];
