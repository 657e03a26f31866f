/** What panes and commands inherit: the person's environment, without what npm puts into it to run a script. Pure. */
import { delimiter, dirname, join } from 'node:path';

/** Set by npm besides `npm_*`; each says something of this start, and nothing of what a person runs in a pane. */
const OF_NPM: ReadonlySet<string> = new Set(['INIT_CWD', 'NODE', 'COLOR']);

/**
 * The environment that npm was started with, as far as it can be told: without its own names, and without the folders
 * of the clone that it puts before the person's on the PATH. Unchanged when npm did not start us. Upper-case
 * `NPM_CONFIG_*` are a person's own and stay.
 */
export function withoutNpm(env: NodeJS.ProcessEnv, clone: string): NodeJS.ProcessEnv {
  if (env['npm_lifecycle_event'] === undefined) return env;
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('npm_') && !OF_NPM.has(name));
  const clean: NodeJS.ProcessEnv = Object.fromEntries(kept);
  const path = env['PATH'];
  if (path === undefined) return clean;
  const added = new Set(above(clone).map((folder) => join(folder, 'node_modules', '.bin')));
  const own = path.split(delimiter).filter((entry) => !added.has(entry) && !/[\\/]node-gyp-bin$/.test(entry));
  return { ...clean, PATH: own.join(delimiter) };
}

/** A folder and all above it: npm adds a folder of programs for each. */
function above(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}
