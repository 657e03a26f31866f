/** Recovery: from evidence to one safe step, within budgets; page health; and the pause that a refusing site gets. */
export { backOffUntil, isBackingOff, refused, withoutOver } from './back-off.ts';
export { recoverChat } from './chats.ts';
export { compare, wentOnElsewhere } from './diagnose.ts';
export { BACK_OFF_MS, HEALTH_LOOK_MS, WATCHED_MAX_MS, WINDOW_MS } from './limits.ts';
export { type Counted, heapLevel, NOTHING_COUNTED, uiLevel } from './meter.ts';
export { type Context, NO_RECOVERY, type Recovery, type RecoveryEffect, type RecoveryEvent } from './state.ts';
export { type Told, worthTelling } from './tell.ts';
export { recoveryView } from './view.ts';
