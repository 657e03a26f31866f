/** The service worker's script. */
import { defineBackground } from 'wxt/utils/define-background';
import { startWorker } from '../background/index.ts';

export default defineBackground({ type: 'module', main: startWorker });
