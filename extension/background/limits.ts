/** Numbers of the service worker, each with its reason. Times are ms. */

/** A silent stream is given up: the runtime says something at least every 15 s. */
export const STREAM_SILENT_MS = 22_000;
/** Between two tries to connect. */
export const RECONNECT_MS = { first: 2_000, longest: 15_000 } as const;
/** A host that does not say who it is. */
export const IDENTITY_MS = 5_000;
/** What a page waits for the first word about who owns the pages. */
export const STANDING_MS = 3_000;

/** Requests to the runtime: the live state, the inbox, an acknowledgement, a turn, the registry, a read of a pane. */
export const REQUEST_MS = {
  services: 5_000,
  goal: 10_000,
  state: 4_000,
  tasks: 2_500,
  ack: 1_500,
  turn: 12_000,
  registry: 4_000,
  read: 10_000,
  /** A tool of the JSON bridge: the runtime ends each call after 45 s. */
  call: 60_000,
  /** The list of tools: the first one makes a runtime load what answers it, and a person's message waits for it. */
  toolsList: 20_000,
  /** The fleet, which the runtime asks of the edge; an action of a person, as long as any call may take. */
  fleet: 12_000,
  control: 50_000,
} as const;

/** The live list of tools is asked for again after this long, and after a failure not before this. */
export const CATALOGUE_FRESH_MS = 60_000;
export const CATALOGUE_PAUSE_MS = 5_000;

/** Chrome runs an alarm at most every 30 s; it brings everything on that nothing else has brought on. */
export const ALARM_MINUTES = 0.5;

/** A turn that could not be journaled is tried again after these pauses, then at the next connect. */
export const JOURNAL_RETRY_MS: readonly number[] = [250, 750, 2_000];
/** Turns whose journaling waits, by conversation: ids only, never words. */
export const JOURNAL_WAITING_MAX = 400;
/** A chat that came up while its answer was still written is looked at again after these pauses, while the worker lives. */
export const FILL_IN_AGAIN_MS: readonly number[] = [15_000, 60_000];
/** The journal takes this much of one turn. */
export const TURN_CHARS_MAX = 80_000;

/** Panes whose output one progress check reads. */
export const PANES_READ_MAX = 4;
/** Rows of a pane that is read: what it shows. */
export const OUTPUT_CHARS_MAX = 8_000;

/** A question to a small model has its own time; the way to the runtime and back may take this much more. */
export const ADVICE_BEYOND_MS = 2_000;
/** Turns that the goal supervisor reads from the journal. */
export const GOAL_TURNS = 6;

/** Who is signed in on a page is believed this long where only refs are named; before anything is done it is asked anew. */
export const ACCOUNT_FRESH_MS = 60_000;

/** A page that has just loaded may not hear yet who is asked for; after these tries the next alarm asks again. */
export const CHECK_LOOKS = 4;
export const CHECK_LOOK_MS = 750;

/** How often a page is asked what came of a press in one round, and the pause between two questions. */
export const PROVE_LOOKS = 5;
export const PROVE_LOOK_MS = 2_000;

/** A page that has just become another chat says so at its next look, which comes within a second; a busy machine takes longer. */
export const NAME_LOOK_MS = 250;
export const NAME_LOOKS = 24;

/** The home of an archived chat's Project comes up within 8 s (reference: extension 8.4), or its tab stays. */
export const HOME_LOOK_MS = 250;
export const HOME_LOOKS = 32;

/** Longest keyword of a connector that is learnt; the sites' own names are far shorter. */
export const CONNECTOR_CHARS_MAX = 100;
