/** The Unix socket: where it may be served, one line in and its answer out, and the end of it all. */
export type { Answer, Answerer, Ears } from './connection.ts';
export { type Listener, listenAt } from './listener.ts';
export { SocketRefused } from './place.ts';
