/**
 * Running an agent's program to ask it about itself: from an empty environment, in a folder that is thrown away, without
 * the person's HOME, keys or configuration, without input, and not for long (reference 3.7 and 10.1).
 */
import { accessSync, constants, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';
import { PROBE_BYTES, PROBE_MS } from './limits.ts';

export interface Binary {
  path: string;
  size: number;
  mtime_ms: number;
}

/** The program of this name on the PATH, as the file that really runs. */
export function findBinary(name: string, path: string): Binary | null {
  if (!/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(name)) return null;
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      const real = realpathSync(file);
      const stats = statSync(real);
      if (stats.isFile()) return { path: file, size: stats.size, mtime_ms: Math.floor(stats.mtimeMs) };
    } catch {
      // Not in this folder, or not ours to run.
    }
  }
  return null;
}

export type Probed = { ok: true; output: string } | { ok: false; problem: string };

/** What the program prints. Its whole process group is gone afterwards, whatever it started. */
export async function probe(
  binary: Binary,
  args: readonly string[],
  path: string,
  signal: AbortSignal,
): Promise<Probed> {
  const home = mkdtempSync(join(tmpdir(), 'hm-probe-'));
  try {
    const result = await run(binary.path, args, {
      cwd: home,
      env: probeEnv(home, path),
      timeoutMs: PROBE_MS,
      maxBytes: PROBE_BYTES,
      endGroup: true,
      signal,
    });
    if (result.timedOut) return { ok: false, problem: `did not answer in ${PROBE_MS} ms` };
    if (result.aborted) return { ok: false, problem: 'the scan was cancelled' };
    if (result.code !== 0) return { ok: false, problem: `ended with ${result.code ?? result.signal ?? 'no code'}` };
    return { ok: true, output: `${result.stdout.toString('utf8')}\n${result.stderr.toString('utf8')}` };
  } catch (error) {
    if (error instanceof LocalError) return { ok: false, problem: 'could not be started' };
    throw error;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Nothing of the person's environment but where programs lie and how text is written. */
function probeEnv(home: string, path: string): Record<string, string> {
  const inherited = ['LANG', 'LC_ALL', 'TMPDIR'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    PATH: path,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_RUNTIME_DIR: home,
    NO_COLOR: '1',
    TERM: 'dumb',
    CI: '1',
    NO_UPDATE_NOTIFIER: '1',
    DO_NOT_TRACK: '1',
    HERDR_MCP_CAPABILITY_PROBE: '1',
  };
}
