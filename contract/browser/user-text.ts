/**
 * When two copies of one user message are the same: the page's and the model's differ in blanks and line breaks, never in
 * words. Its SHA-256, in lower-case hex, is what the extension tells and the runtime looks for; words are told by neither.
 */
export const userTextForm = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
