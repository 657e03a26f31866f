/** Finding a text in a file exactly, and showing where it almost is when it is not there. */
export { type Found, findText, fitEndings, lineAt, type Match } from './find.ts';
export { type NearestOptions, type NearMiss, nearestPlaces } from './nearest.ts';
