/** What outlives a restart: workspaces, tabs, panes and their directories. Processes do not, and that is said. */
export { type Keeper, keepSession, restoreSession } from './keeper.ts';
