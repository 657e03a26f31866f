/** No answer is larger than a host takes, whatever a command, a file or a name holds; what is cut can be had by going on. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESULT_TEXT_CHARS } from '../../../contract/limits.ts';
import type { ToolHandlers } from '../../../runtime-a-b/tools/context.ts';
import { execTools } from '../../../runtime-a-b/tools/exec/index.ts';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { gitTools } from '../../../runtime-a-b/tools/git/index.ts';
import { execWait } from '../../../runtime-a-b/tools/methods/index.ts';
import { verifies } from '../../verifies.ts';
import { place } from '../exec/support.ts';
import { liveView, repository, temporaryFolder } from '../roots/live-view.ts';
import { testTools } from '../tools-files/context.ts';

const handlers: ToolHandlers = { ...execTools, ...fileTools, ...gitTools };

function setUp(files: Record<string, string>) {
  const where = place();
  const root = repository(join(temporaryFolder(), 'r'), files);
  const tools = testTools(handlers, liveView([{ cwd: root }]), { exec: where.open(), stateDir: where.stateDir });
  const call = async (tool: string, args: Record<string, unknown>) => {
    const { body } = await tools.call(tool, args);
    if (typeof body.session_id === 'string') where.track(body.session_id);
    expect(JSON.stringify(body).length).toBeLessThanOrEqual(RESULT_TEXT_CHARS);
    return body as Record<string, unknown>;
  };
  return { root, call, context: tools.context };
}

describe('an answer at its largest', () => {
  it.each([
    ['plain text', 'seq 1 40000'],
    ['control characters, which are six characters each in JSON', 'head -c 300000 /dev/zero | tr "\\0" "\\1"'],
    ['bytes that are no text', 'head -c 300000 /dev/urandom'],
    ['quotes and backslashes', 'head -c 300000 /dev/zero | tr "\\0" "\\\\"'],
    ['one JSON object of nearly 64 kB', `printf '{"a":"'; head -c 64000 /dev/zero | tr '\\0' x; printf '"}'`],
    ['many small members', `printf '{'; for i in $(seq 4000); do printf '"k%s":%s,' $i $i; done; printf '"z":0}'`],
  ])('of herdr_exec: %s', async (_, command) => {
    verifies('exec.truth');
    const { call } = setUp({ a: 'a' });
    const body = await call('herdr_exec', { workspace: 'w1', command });
    const progress = body.progress as { bytes_total: number };
    expect(body.truncated).toBe((body.next_offset ?? progress.bytes_total) !== progress.bytes_total);
    // From where it was cut every byte can be had, in pages that are bounded too.
    let at = Number(body.next_offset ?? progress.bytes_total);
    for (let pages = 0; at < progress.bytes_total && pages < 40; pages += 1) {
      const page = await call('herdr_exec_read', { session_id: body.session_id, offset: at });
      expect(page.offset).toBe(at);
      at = Number(page.next_offset);
    }
    expect(at).toBe(progress.bytes_total);
  });

  it.each([
    ['control characters', 'head -c 300000 /dev/zero | tr "\\0" "\\1"'],
    ['quotes and backslashes', 'head -c 300000 /dev/zero | tr "\\0" "\\\\"'],
  ])('of herdr_mcp.exec.wait: %s, paged to the end', async (_, command) => {
    verifies('exec.truth');
    const { call, context } = setUp({ a: 'a' });
    const { session_id, progress } = await call('herdr_exec', { workspace: 'w1', command });
    const { bytes_total: total } = progress as { bytes_total: number };
    const wait = async (more: object) => {
      const { body } = await execWait.run({ session_id, timeout_ms: 1, ...more }, context);
      return { length: JSON.stringify(body).length, offset: Number(body.offset), next: Number(body.next_offset) };
    };
    let at = 0;
    for (let pages = 0; at < total && pages < 40; pages += 1) {
      const page = await wait({ offset: at });
      expect(page.length).toBeLessThanOrEqual(RESULT_TEXT_CHARS);
      expect(page.offset).toBe(at);
      at = page.next;
    }
    expect(at).toBe(total);
    // Somebody who asks for more gets more, and no more than that.
    expect((await wait({ limit: 262_144 })).length).toBeLessThanOrEqual(262_144);
  });

  it('of herdr_git: a diff full of control characters, paged to its end', async () => {
    const { root, call } = setUp({ a: 'a' });
    writeFileSync(join(root, 'a'), `${'\x1b'.repeat(70)}\n`.repeat(3_000));
    let at: number | null = 0;
    for (let pages = 0; at !== null && pages < 40; pages += 1) {
      const page: Record<string, unknown> = await call('herdr_git', { root, action: 'diff', offset: at });
      at = page.next_offset as number | null;
    }
    expect(at).toBeNull();
  });

  it('of herdr_fs_list and herdr_fs_grep: many long names', async () => {
    const { root, call } = setUp({ a: 'a' });
    const deep = join(root, 'd'.repeat(200), 'e'.repeat(200), 'f'.repeat(200));
    mkdirSync(deep, { recursive: true });
    for (let i = 0; i < 300; i += 1)
      writeFileSync(join(deep, `${String(i).padStart(3, '0')}${'n'.repeat(200)}`), 'needle\n');
    const listed = await call('herdr_fs_list', { path: deep, max_entries: 2_000 });
    expect(listed).toMatchObject({ truncated: true, next: expect.stringContaining('glob') });
    expect((listed.entries as unknown[]).length).toBe(listed.count);
    expect(await call('herdr_fs_grep', { root, pattern: 'needle', max_matches: 1_000 })).toMatchObject({
      truncated: true,
    });
  });

  it('of herdr_fs_read: as much as the default budget, each character six in JSON', async () => {
    const { root, call } = setUp({ 'c.txt': `${'\x01'.repeat(100)}\n`.repeat(1_000) });
    expect(await call('herdr_fs_read', { path: join(root, 'c.txt') })).toMatchObject({ truncated: true });
  });

  it('of herdr_fs_patch: many long names', async () => {
    const { root, call } = setUp({ a: 'a' });
    const sections = Array.from(
      { length: 500 },
      (_, i) => `*** Add File: ${'m'.repeat(120)}/${'n'.repeat(120)}${i}\n+x`,
    );
    const patch = ['*** Begin Patch', ...sections, '*** End Patch'].join('\n');
    expect(await call('herdr_fs_patch', { root, patch, dry_run: true })).toMatchObject({ affected_total: 500 });
  });
});
