/** The link itself: what is said on a socket, and what happens between one socket and the next. */
export { Link, type LinkDeps, type LinkEnd, type Phase } from './link.ts';
export { type Reconciled, reconcile } from './reconcile.ts';
