/** Looks at every pane several times a second and feeds what it sees to the agent machine. */
export { glimpse } from './glimpse.ts';
export { probeForeground } from './probe.ts';
export { watchPanes } from './watch.ts';
