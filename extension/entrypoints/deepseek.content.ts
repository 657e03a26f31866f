/** The page script of DeepSeek, with the JSON bridge. The worker registers it when a person has switched the site on. */
import { defineContentScript } from 'wxt/utils/define-content-script';
import { startSite } from '../content/index.ts';
import { createSurface } from '../hud/index.tsx';
import { deepseek } from '../sites/deepseek/index.ts';

export default defineContentScript({
  registration: 'runtime',
  main: (context) => startSite(context, deepseek, createSurface),
});
