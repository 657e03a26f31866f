/** The Control Center's contract: what is said of panes, how it is folded and shown, and what may be done to one. */
export * from './actions.ts';
export * from './fleet.ts';
export * from './picture.ts';
export * from './push.ts';
export * from './sse.ts';
export * from './view.ts';
export * from './watch.ts';
