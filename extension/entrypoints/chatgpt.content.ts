/** The page script of ChatGPT: the site's adapter given to what all sites share. */
import { defineContentScript } from 'wxt/utils/define-content-script';
import { startSite } from '../content/index.ts';
import { createSurface } from '../hud/index.tsx';
import { CHAT_SITES } from '../manifest.ts';
import { chatgpt } from '../sites/chatgpt/index.ts';

export default defineContentScript({
  matches: [...CHAT_SITES],
  runAt: 'document_idle',
  main: (context) => startSite(context, chatgpt, createSurface),
});
