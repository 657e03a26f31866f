/** A process that asks a login shell for its environment as a runtime would, and waits to be killed meanwhile. */
import { probeEnvironment } from '../../../runtime-a-b/exec/environment/index.ts';

const [homeDir = '', folder = ''] = process.argv.slice(2);
await probeEnvironment({
  shell: { path: '/bin/bash', kind: 'bash' },
  base: { PATH: process.env.PATH ?? '' },
  homeDir,
  folder,
  limitMs: 600_000,
  signal: new AbortController().signal,
});
