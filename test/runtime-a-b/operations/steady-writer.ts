/** A process that runs one write after the other and says each dispatch id once its result is there. */
import { openDesk } from './desk.ts';

const [, , stateDir = '', generation = 'a'] = process.argv;
const desk = openDesk(stateDir, generation);
for (let i = 0; ; i++) {
  const { envelope } = await desk.submit('herdr_fs_write', { path: `/r/${process.pid}`, content: `${i}` });
  process.stdout.write(`${envelope.dispatch_id}\n`);
}
