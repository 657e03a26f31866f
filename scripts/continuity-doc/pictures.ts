/** The machines that docs/continuity.md shows, one file each. */
import { delivery } from './delivery.ts';
import type { Picture } from './page.ts';

export const PICTURES: readonly Picture[] = [delivery];
