/** The system's Chromium. The test script installs it where it is missing and may; here it is only found. */
import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-for-testing',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
] as const;

/** Path of the browser that the tests drive; `CHROMIUM_BIN` names another. Throws when there is none. */
export function chromiumPath(): string {
  const named = process.env.CHROMIUM_BIN;
  if (named !== undefined && named !== '') return named;
  const found = PLACES.find((place) => existsSync(place));
  if (found === undefined) {
    throw new Error('These tests drive Chromium, which is not installed. Install it, or name it with CHROMIUM_BIN.');
  }
  return found;
}
