/** The version that this very script was built with. A script that outlives an update goes on saying the old one. */
declare const __HERDR_VERSION__: string;

export const VERSION: string = __HERDR_VERSION__;
