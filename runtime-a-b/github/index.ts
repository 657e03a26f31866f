/** What GitHub says about a checkout, through the workstation's own `gh`. Evidence for a planner; it changes nothing. */
export { type Gh, type GhAnswer, openGh, repositoryOf } from './gh.ts';
export { githubStatus } from './status.ts';
