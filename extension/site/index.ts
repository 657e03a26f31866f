/** The contract between the shared page code and a site's own code. */
export type {
  Absence,
  HealthLooks,
  Look,
  Message,
  Messages,
  Place,
  ServerView,
  SiteAdapter,
  SiteFailure,
} from './adapter.ts';
