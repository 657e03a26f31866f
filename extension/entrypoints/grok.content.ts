/** The page script of Grok. The worker registers it when a person has switched the site on. */
import { defineContentScript } from 'wxt/utils/define-content-script';
import { startSite } from '../content/index.ts';
import { grok } from '../sites/grok/index.ts';
import { NO_SURFACE } from '../surface.ts';

export default defineContentScript({
  registration: 'runtime',
  main: (context) => startSite(context, grok, () => NO_SURFACE),
});
