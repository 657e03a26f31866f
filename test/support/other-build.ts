/** Another build of this clone, for tests of promotions: the same programs, with other content and so another revision. */
import { appendFileSync, cpSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DIST, ROOT } from '../../scripts/build/index.ts';

/** Copies the built programs into a new folder inside `home`; `name` makes the content differ. */
export function otherBuild(home: string, name: string): string {
  const folder = join(home, name);
  const isProgram = (path: string) => !['edge', '.compile-cache', 'extension'].includes(basename(path));
  cpSync(DIST, folder, { recursive: true, filter: isProgram });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  appendFileSync(join(folder, 'runtime.main.js'), `\n// ${name}\n`);
  return folder;
}
