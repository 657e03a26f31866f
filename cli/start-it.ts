/** What starts this workstation again, where a refusal or a look has to name it. */
export const START = 'herdr-mcp up, in a clone npm start';
