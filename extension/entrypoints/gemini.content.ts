/** The page script of Gemini. The worker registers it when a person has switched the site on. */
import { defineContentScript } from 'wxt/utils/define-content-script';
import { startSite } from '../content/index.ts';
import { gemini } from '../sites/gemini/index.ts';
import { NO_SURFACE } from '../surface.ts';

export default defineContentScript({
  registration: 'runtime',
  main: (context) => startSite(context, gemini, () => NO_SURFACE),
});
