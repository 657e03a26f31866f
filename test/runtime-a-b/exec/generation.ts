/** A process that starts one command as a runtime would, says its id, and waits to be killed. */
import { createLog } from '../../../local/log/index.ts';
import { createExec } from '../../../runtime-a-b/exec/index.ts';

const [stateDir = '', cwd = '', command = ''] = process.argv.slice(2);
const exec = createExec({
  stateDir,
  generation: 'a',
  bootId: 'boot_0123456789ab',
  nowMs: Date.now,
  log: createLog({ name: 'test', level: 'silent' }),
  env: { PATH: process.env.PATH, HOME: process.env.HOME, SHELL: '/bin/bash' },
  login: { probe: async () => ({ ok: false, reason: 'none', tookMs: 0 }) },
});
const { id } = await exec.start({ root: cwd, cwd, command });
process.stdout.write(`${id}\n`);
setInterval(() => undefined, 60_000);
