/**
 * A small server that speaks Herdr's socket protocol over real PTYs, for machines without Herdr. It is not a second
 * registry of agents: its callers know only the protocol, and may meet a real Herdr at another path instead. Decided
 * once here: the socket path and its mode, the shell, what panes inherit. It never binds Herdr's own default path.
 */
export { type EmbeddedHerdr, type EmbeddedHerdrOptions, startEmbeddedHerdr } from './server.ts';
export { SocketRefused } from './socket/index.ts';
