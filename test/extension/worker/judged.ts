/** A bound chat whose turns are judged. */
import { OPEN_ANSWER, turn } from '../auto/support.ts';
import { bound } from './bound.ts';
import { models } from './models.ts';
import type { WorldOptions } from './world.ts';

export const open = (options: WorldOptions = {}, auto = true) => bound({ models: models(), ...options }, auto);

export const OPEN = turn(OPEN_ANSWER);
