/** `GET /extension/fleet`: the workstations of this fleet as the edge lists them, asked by the runtime as this device. */
import type { ListedDevice } from '../fleet/index.ts';

export type FleetAnswer =
  | { ok: true; devices: readonly ListedDevice[]; self: string; observed_at_ms: number }
  /** `not_paired`: this machine belongs to no fleet. `refused`: the edge does not let it. `unreachable`: no answer came. */
  | { ok: false; code: 'not_paired' | 'refused' | 'unreachable'; message: string; next: string };
