/**
 * One generation that works off a queue of changes of one file: for each mark `<n>` an edit or a patch that makes `[n]` of
 * it, all asked for at once. Waits for a line, and prints what each was answered as one JSON line.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { OutcomeError } from '../../../contract/outcome.ts';
import type { LiveView } from '../../../runtime-a-b/roots/index.ts';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { testTools } from './context.ts';

export interface Order {
  root: string;
  stateDir: string;
  view: LiveView;
  file: string;
  marks: string[];
}

export interface Told {
  mark: string;
  code: string;
  delivery: string;
  next: string;
}

const { root, stateDir, view, file, marks } = JSON.parse(process.argv[2] ?? '') as Order;
const tools = testTools(fileTools, view, { stateDir });

function change(mark: string, index: number): Promise<unknown> {
  const [from, to] = [`<${mark}>`, `[${mark}]`];
  if (index % 2 === 0) {
    const edit = { path: join(root, file), old_string: from, new_string: to, confirm_dirty: true };
    return tools.call('herdr_fs_edit', edit);
  }
  const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\n`;
  return tools.call('herdr_fs_patch', { root, patch, confirm_dirty: true });
}

async function told(mark: string, index: number): Promise<Told> {
  try {
    await change(mark, index);
    return { mark, code: 'ok', delivery: 'delivered', next: '' };
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    return { mark, code: error.code, delivery: error.delivery, next: error.next };
  }
}

process.stdout.write('ready\n');
await once(process.stdin, 'data');
for (const answer of await Promise.all(marks.map(told))) process.stdout.write(`${JSON.stringify(answer)}\n`);
process.stdin.destroy();
