/** A runtime of another user, who may signal nothing that we run: it ends a session as `herdr_exec_kill` does in a pane. */
import { createLog } from '../../../local/log/index.ts';
import { createExec } from '../../../runtime-a-b/exec/index.ts';

const [stateDir = '', id = ''] = process.argv.slice(2);
const exec = createExec({
  stateDir,
  generation: 'b',
  bootId: 'boot_ba9876543210',
  nowMs: Date.now,
  log: createLog({ name: 'test', level: 'silent' }),
  env: { PATH: process.env.PATH, HOME: stateDir, SHELL: '/bin/bash' },
  login: { probe: async () => ({ ok: false, reason: 'none', tookMs: 0 }) },
});
const { killed, forced, state } = await exec.kill(id, async () => undefined);
process.stdout.write(JSON.stringify({ killed, forced, running: state.running }));
await exec.close();
