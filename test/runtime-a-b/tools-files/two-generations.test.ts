/** Two generations change one file at the same time, as they do in the moment of a promotion. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { ownProgram } from '../../support/program.ts';
import { verifies } from '../../verifies.ts';
import type { Order, Told } from './changer.ts';
import { workplace } from './workplace.ts';

const CHANGER = await ownProgram(new URL('./changer.ts', import.meta.url));
const CHANGES = 20;

/** A generation that is ready, and what it answered once it was let go. */
async function generation(order: Order): Promise<{ go: () => void; told: Promise<Told[]> }> {
  const child = spawn(process.execPath, [CHANGER, JSON.stringify(order)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const answers: Told[] = [];
  const told = new Promise<Told[]>((resolve) => child.once('close', () => resolve(answers)));
  await new Promise<void>((resolve) => lines.once('line', () => resolve()));
  lines.on('line', (line) => answers.push(JSON.parse(line) as Told));
  return { go: () => void child.stdin.write('go\n'), told };
}

it('lose no change and double none: what is answered as done is there once, what is answered as not done is not', async () => {
  verifies('files.edit', 'files.patch', 'ab.promotion');
  const marks = ['a', 'b'].map((name) => Array.from({ length: CHANGES }, (_, n) => `${name}${n}`));
  const text = `${marks
    .flat()
    .map((mark) => `<${mark}>`)
    .join('\n')}\n`;
  const { root, stateDir, tools, bytes } = workplace({ f: text });
  const both = await Promise.all(
    marks.map((own) => generation({ root, stateDir, view: tools.view, file: 'f', marks: own })),
  );
  for (const { go } of both) go();
  const answers = (await Promise.all(both.map(({ told }) => told))).flat();
  expect(answers.map(({ mark }) => mark).sort()).toEqual(marks.flat().sort());
  const done = new Set(answers.filter(({ delivery }) => delivery === 'delivered').map(({ mark }) => mark));
  const expected = text.replaceAll(/<(\w+)>/g, (all, mark: string) => (done.has(mark) ? `[${mark}]` : all));
  expect(bytes('f').toString()).toBe(expected);
  for (const { code, delivery, next } of answers.filter(({ mark }) => !done.has(mark))) {
    expect([code, delivery, next]).toEqual(['changed_since_read', 'not_delivered', expect.stringMatching(/again/)]);
  }
});
