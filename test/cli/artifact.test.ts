import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifactType } from '../../cli/artifact/types.ts';
import { verifies } from '../verifies.ts';
import { DEVICE, type FakeEdge, fakeEdge } from './fake-edge.ts';

describe('the type of a file', () => {
  it.each([
    ['a/photo.PNG', undefined, 'image/png'],
    ['notes.md', undefined, 'text/markdown'],
    ['archive.tar.gz', undefined, 'application/gzip'],
    ['program', undefined, 'application/octet-stream'],
    ['program', 'text/plain', 'text/plain'],
    ['page.html', 'text/html', undefined],
  ])('of %s, called %s, is %s', (path, named, expected) => {
    expect(artifactType(path, named)).toBe(expected);
  });
});

describe('herdr-mcp artifact', () => {
  let edge: FakeEdge;
  beforeEach(async () => {
    edge = await fakeEdge();
  }, 120_000);
  afterEach(() => edge.close());
  const ID = 'ab'.repeat(16);

  it('puts a file there under its type', async () => {
    verifies('cli.artifact');
    const file = join(edge.stateDir, 'notes.md');
    writeFileSync(file, '# Notes\n');
    edge.answers['POST /artifacts'] = {
      status: 201,
      body: {
        ok: true,
        id: ID,
        mime_type: 'text/markdown',
        bytes: 8,
        sha256: '0'.repeat(64),
        expires_at_ms: Date.now() + 900_000,
        ttl_ms: 900_000,
        capability: '1'.repeat(64),
        path: `/artifacts/${ID}`,
      },
    };
    const { code, out } = await edge.cli(['artifact', 'up', file]);
    expect(code).toBe(0);
    expect(out).toContain(`herdr-mcp artifact down ${ID}`);
    expect(out).not.toContain('1'.repeat(64));
    expect(edge.asked).toMatchObject([{ body: '# Notes\n', device: DEVICE }]);
  });

  it('writes what it fetched whole, or nothing', async () => {
    verifies('cli.artifact');
    const out = join(edge.stateDir, 'fetched.bin');
    const bytes = Buffer.from([0, 255, 1, 254]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const down = ['artifact', 'down', ID, '--out', out];
    edge.answers[`GET /artifacts/${ID}`] = [
      { body: bytes, headers: { 'x-artifact-sha256': '0'.repeat(64) } },
      { body: bytes, headers: { 'x-artifact-sha256': sha256 } },
    ];
    expect(await edge.cli(down)).toMatchObject({ code: 1, err: expect.stringContaining('damaged') });
    expect(existsSync(out)).toBe(false);
    expect(await edge.cli(down)).toMatchObject({ code: 0 });
    expect(readFileSync(out)).toEqual(bytes);
    const asked = edge.asked.length;
    expect(await edge.cli(down)).toMatchObject({ code: 2, err: expect.stringContaining('--force') });
    expect(edge.asked).toHaveLength(asked);
  });

  it('passes on the edge’s own words', async () => {
    edge.answers[`GET /artifacts/${ID}`] = {
      status: 404,
      body: { ok: false, code: 'artifact_expired', message: 'It has expired.', next: 'Again.', retryable: false },
    };
    const out = join(edge.stateDir, 'x');
    expect(await edge.cli(['artifact', 'down', ID, '--out', out])).toMatchObject({
      code: 1,
      err: expect.stringContaining('The file was not fetched: It has expired.'),
    });
    edge.answers[`DELETE /artifacts/${ID}`] = { body: { ok: true, deleted: true } };
    expect(await edge.cli(['artifact', 'remove', ID])).toMatchObject({ code: 0, out: 'Deleted.\n' });
  });
});
