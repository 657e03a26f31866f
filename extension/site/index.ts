/** The contract between the shared page code and a site's own code. */
export type {
  Absence,
  Look,
  Message,
  Messages,
  Place,
  ServerView,
  SiteAdapter,
} from './adapter.ts';
