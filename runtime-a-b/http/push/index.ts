/** What the browser extension hears of Herdr: the state now, and a stream of what changes. */
export { createPushFeed, type PushFeed } from './feed.ts';
export { filtersOf, pushStream } from './stream.ts';
