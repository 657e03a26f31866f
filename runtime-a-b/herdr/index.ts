/**
 * Everything the runtime knows of Herdr: the client, the live picture, the events. Herdr is the only owner of
 * workspaces, panes and agents; what stands here is what it said last, and how old that is.
 */
export { type Change, changesBetween, directoryOf, knownStatus } from './changes.ts';
export { createHerdrClient, type HerdrCallOptions, type HerdrClient, type HerdrResult } from './client.ts';
export { HerdrFailure, herdrOutcome } from './failure.ts';
export { assertKnown, findAgent, findNow, findPane, findWorkspace, plainId } from './find.ts';
export { type LiveHerdrCache, watchHerdr } from './live.ts';
export { targetRevision } from './revision.ts';
export { EventRing, type RingEvent, type RingPage } from './ring.ts';
export { herdrSocketPath, isSessionName, type SocketQuestion, serverOf } from './socket-path.ts';
export type { HerdrServer, HerdrView, LiveHerdr } from './view.ts';
