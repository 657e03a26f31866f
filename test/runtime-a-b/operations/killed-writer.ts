/** A process that runs one write and says `now` at the moment at which a test kills it. */
import { writeFileSync } from 'node:fs';
import { sha256 } from '../../../runtime-a-b/operations/index.ts';
import { openDesk } from './desk.ts';

const { stateDir, moment, id, file, key } = JSON.parse(process.argv[2] ?? '') as {
  stateDir: string;
  moment: 'before' | 'after' | 'nothing';
  id: string;
  file: string;
  key?: string;
};

const desk = openDesk(stateDir);
desk.tool = async ({ intend }) => {
  if (moment !== 'nothing') intend([{ path: file, before: sha256('old'), after: sha256('new') }]);
  if (moment === 'after') writeFileSync(file, 'new');
  process.stdout.write('now\n');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  return { ok: true, body: {} };
};
const args = { path: file, content: 'new', ...(key === undefined ? {} : { idempotency_key: key }) };
await desk.submit('herdr_fs_write', args, { dispatch_id: id });
