/** The page script of ChatGPT: the site's adapter given to what all sites share. */
import { defineContentScript } from 'wxt/utils/define-content-script';
import { CHAT_SITES } from '../manifest.ts';

export default defineContentScript({
  matches: [...CHAT_SITES],
  runAt: 'document_idle',
  main() {},
});
