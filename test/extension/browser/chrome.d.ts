/** What the tests call of the extension's own pages. */
declare const chrome: typeof import('wxt/browser').browser;
