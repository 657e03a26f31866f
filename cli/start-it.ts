/** What starts this workstation again, where a refusal or a look has to name it. */
export const START = 'herdr-mcp up, in a clone npm start';

/** What a machine without an edge needs next. */
export const PAIR =
  'Next: pair this machine. `npm run deploy` in a clone makes an edge of your own; `herdr-mcp worker connect` joins one.';
