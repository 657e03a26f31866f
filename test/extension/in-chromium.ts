/** A Chromium of its own for tests of what runs inside a page, and that as one script to put into pages. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from './chromium.ts';

/** `source`: the module that hands to `window` what the tests call. Whoever asks closes the browser. */
export async function inChromium(source: URL): Promise<{ browser: Browser; script: string }> {
  const [bundled, browser] = await Promise.all([
    build({
      entryPoints: [fileURLToPath(source)],
      bundle: true,
      format: 'iife',
      target: 'chrome120',
      write: false,
    }),
    chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] }),
  ]);
  return { browser, script: bundled.outputFiles[0]?.text ?? '' };
}
