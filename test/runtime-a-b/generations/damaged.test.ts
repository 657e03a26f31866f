/** State that a person, a cleaner or a full disk has damaged: the supervisor says so and goes on with what is whole. */
import { chmodSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { at } from './support/each.ts';

const DAMAGES: [string, (folder: string) => void][] = [
  ['a program is gone', (folder) => rmSync(join(folder, 'runtime.js'), { force: true })],
  ['its list of modules is cut', (folder) => rewritten(join(folder, 'native.json'), '["a')],
  ['a module that it names is gone', (folder) => rewritten(join(folder, 'native.json'), '["no-such-module"]')],
  ['a program has other bytes', (folder) => rewritten(join(folder, 'herdr-link.js'), '// changed')],
  ['its description is cut', (folder) => truncateSync(join(folder, 'revision.json'), 10)],
  ['all of it is gone', (folder) => rmSync(folder, { recursive: true, force: true })],
];

function rewritten(file: string, text: string): void {
  chmodSync(file, 0o600);
  writeFileSync(file, text);
}

describe('a revision of which', () => {
  it('something is missing is not promoted, whatever it is, and what serves goes on', async () => {
    verifies('ab.generations');
    const a = await at.stage({ version: '1.0.0' });
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.running();
    const serving = up.pid('runtime-a');
    for (const [n, [what, damage]] of DAMAGES.entries()) {
      const bad = await at.stage({ version: `1.${n + 1}.0` });
      damage(join(at.stateDir, 'revisions', bad));
      const observed = await at.do((now) => ({ ...now, candidate: bad }));
      expect(observed.candidate, what).toMatchObject({ revision: bad, phase: 'failed', code: 'revision_gone' });
      expect([up.pid('runtime-a'), observed.state], what).toEqual([serving, 'running']);
    }
    // Staged once more it is made anew, and passes at once: nobody waits until a damaged one is read again.
    const mended = await at.stage({ version: '1.1.0' });
    expect((await at.do((now) => ({ ...now, candidate: mended }))).candidate).toMatchObject({ phase: 'ready' });
    rewritten(join(at.stateDir, 'revisions', mended, 'native.json'), '["a');
    // The next supervisor finds a damaged one still wanted, and starts all the same.
    await up.leave();
    const next = await at.running();
    expect(next.pid('runtime-a')).toBe(serving);
  });

  it('serves ends nothing when it is damaged under a supervisor; a new one says what is wrong and stays', async () => {
    verifies('ab.generations');
    const a = await at.stage({ version: '1.0.0' });
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.running();
    rewritten(join(at.stateDir, 'revisions', a, 'native.json'), '["a');
    await up.stop();
    const next = await at.up();
    const told = await next.until(({ trouble }) => trouble?.includes(a) === true);
    expect(told).toMatchObject({ state: 'degraded', change: told.change });
    await at.want((now) => ({ ...now, running: false }));
    expect(await next.ended).toBeUndefined();
  });
});
