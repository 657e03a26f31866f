/**
 * What an agent in a pane is doing: a pure machine fed with sightings of the foreground process, looks at the screen
 * and reports of hooks. It decides; the watch around it does the looking.
 */
export { isOfficial } from './authority.ts';
export { explainRules, type Glimpse, judge, type Rule, type Verdict } from './rule.ts';
export { rulesFor } from './rules/index.ts';
export {
  type AgentReport,
  clearAuthority,
  look,
  NO_AGENT,
  release,
  report,
  reportSession,
  type Sighting,
  type Step,
  screenSkipped,
  sight,
  type Track,
  type TrackEffect,
} from './track.ts';
