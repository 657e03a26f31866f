/**
 * The program that the browser starts: `herdr-native-host --registration <file> <origin>`. It ends with 0 also after it
 * has refused, because the browser shows its user nothing of an exit code; the refusal is a message.
 */
import { VERSION } from '../../local/version/index.ts';
import { frameOf } from './frames.ts';
import { EXTENSION_ORIGIN, readRegistration } from './registration.ts';
import { failure } from './relay.ts';
import { serve } from './serve.ts';

const [flag, file = '', ...rest] = process.argv.slice(2);
const origin = rest.find((argument) => EXTENSION_ORIGIN.test(argument)) ?? '';
const registered = () => readRegistration(flag === '--registration' ? file : '');
const first = registered();

if (first === null || first.origin !== origin) {
  const error = first === null ? 'extension_origin_unconfigured' : 'extension_origin_not_allowed';
  process.stdout.end(frameOf(failure(null, error, 'This native host admits one extension, and it is not this one.')));
} else {
  await serve({
    input: process.stdin,
    output: process.stdout,
    origin,
    registered: () => registered()?.origin ?? null,
    socket: first.socket,
    version: VERSION,
  });
  process.exit(0);
}
