/** The page's decisions: when a turn is over, whether a message arrived, when two texts are one. */
export { type Arrival, arrivalAtServer, arrivalOf, baselineOf } from './arrival.ts';
export * from './limits.ts';
export { isPartOf, sameText } from './text.ts';
export {
  answered,
  drafted,
  type Glance,
  glance,
  latestTurn,
  NO_WATCH,
  submitted,
  type TurnEffect,
  type Watch,
} from './turn.ts';
