/** `npm run rehearse`: an installation's whole life in a home of its own, without services; prints every state. */
import { LocalError } from '../local/error/index.ts';
import { rehearse } from './rehearse/index.ts';
import { whenAsked } from './start/index.ts';

try {
  await rehearse((line) => console.log(line), whenAsked());
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  console.error(error.sentence);
  process.exitCode = error.code === 'interrupted' ? 130 : 1;
}
