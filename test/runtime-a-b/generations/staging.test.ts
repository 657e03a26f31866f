/** A build that goes on in the folder that is staged from: nothing half-copied, and a sentence instead of a stack. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stageRevision } from '../../../runtime-a-b/generations/index.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder } from '../support/index.ts';
import { fakeBuild } from './support/fake-build.ts';

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

describe('staging from a folder that is being built', () => {
  it.each([
    ['loses a file', (file: string) => rmSync(file)],
    ['gets other bytes', (file: string) => writeFileSync(file, 'other')],
  ])('that %s meanwhile is refused and leaves nothing', async (_, change) => {
    verifies('ab.generations');
    const source = fakeBuild(join(folder.path, 'build'), { version: '1.0.0' });
    writeFileSync(join(source, 'page.html'), 'page');
    const stateDir = join(folder.path, 's');
    const staging = stageRevision(stateDir, source, async (step) => {
      if (step === 'copy') change(join(source, 'page.html'));
    });
    await expect(staging).rejects.toMatchObject({ code: 'source_changed' });
    expect(readdirSync(join(stateDir, 'revisions'))).toEqual([]);
  });
});
