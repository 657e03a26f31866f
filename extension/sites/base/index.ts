/** What the sites' adapters have in common: finding, the composer, the text of a message. No selector of a site is here. */
export { askAccount } from './account.ts';
export { type Composer, createComposer, type Editor } from './composer.ts';
export { type Ask, fetchJson, list, record, text } from './fetch-json.ts';
export { control, folded, isEnabled, isVisible, labelOf, only } from './find.ts';
export { MESSAGE_MAX_CHARS } from './limits.ts';
export { plainText } from './plain-text.ts';
export { richText } from './rich-text.ts';
export { type Address, createSite, pathOf, type SiteParts, type SiteSpec, uuidOf } from './site.ts';
export { textOf } from './text.ts';
