/**
 * Preloaded (`node --import`) into a command under test: SIGKILL before its n-th step that others can see, HM_KILL_AT=n.
 * Steps are changes of files below HM_KILL_WITHIN and starts of processes; between two of them a kill leaves the same.
 */
import child from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const at = Number(process.env.HM_KILL_AT);
const within = process.env.HM_KILL_WITHIN;
delete process.env.HM_KILL_AT;
delete process.env.HM_KILL_WITHIN;

let steps = 0;
function step() {
  steps += 1;
  if (steps === at) process.kill(process.pid, 'SIGKILL');
}

function before(object, name, counts) {
  const real = object[name];
  object[name] = function (...args) {
    if (counts(args)) step();
    return real.apply(this, args);
  };
}

const isBelow = (args) => args.some((arg) => typeof arg === 'string' && arg.startsWith(within));
const writes = ([path, flags]) => isBelow([path]) && typeof flags === 'string' && /[wa]/.test(flags);
for (const name of ['rename', 'symlink', 'link', 'rm', 'unlink', 'mkdir', 'writeFile', 'cp', 'truncate', 'chmod']) {
  before(fs, `${name}Sync`, isBelow);
  if (fs.promises[name]) before(fs.promises, name, isBelow);
}
before(fs, 'openSync', writes);
before(fs.promises, 'open', writes);
before(child, 'spawn', () => true);
syncBuiltinESMExports();
