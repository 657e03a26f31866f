import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkpointDigest } from '../../../runtime-a-b/memory/index.ts';
import { verifies } from '../../verifies.ts';
import { addressOf, type Desk, openDesk, PROJECT } from './desk.ts';

const P = { project_ref: 'herdr', repo_id: 'r', work_chain_id: 'w' };
const SESSION = { provider: 'chatgpt', session_ref: 's' };
const person = { principal: { kind: 'local', id: 'me' } } as const;

async function filled(): Promise<Desk & { file: string }> {
  const desk = openDesk();
  desk.say('検索 🚀 "quotes"\n', {
    continuityId: 'hc:1:a',
    projectId: PROJECT,
    workspaceId: 'embedded/w1',
    title: 'Work',
    messageId: 'u1',
  });
  desk.say('done\u0000', { role: 'assistant' });
  await desk.call('work_memory.bind', { ...P, ...SESSION, continuity_id: 'hc:1:a' });
  await desk.call('work_memory.append_evidence', { ...P, kind: 'note', content: 'proof' });
  for (let i = 0; i < 250; i++) desk.say(`turn ${i}`);
  await desk.call('work_memory.append_evidence', { ...P, kind: 'note', content: 'second proof' });
  for (const revision of [0, 1]) {
    await desk.call('work_memory.checkpoint.put', {
      ...P,
      expected_checkpoint_revision: revision,
      summary: `summary ${revision}`,
      checkpoint_json: '{"goal":"g"}',
      through_message_id: 'u1',
    });
  }
  return Object.assign(desk, { file: join(desk.dir, 'chain.jsonl') });
}

const exported = (desk: Desk, path: string, more = {}) =>
  desk.call('continuity.export', { continuity_id: 'hc:1:a', path, ...more }, person);

/** The text with a seal that fits it: whoever changes a file can make that too. */
function sealed(text: string): string {
  const lines = text.split('\n').slice(0, -2);
  const body = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ t: 'end', lines: lines.length, sha256 })}\n`;
}

describe('a chain as one file', () => {
  it('comes back whole on another workstation: turns, evidence, checkpoints, conversations and words', async () => {
    const desk = await filled();
    expect(await exported(desk, desk.file)).toMatchObject({ continuity_id: 'hc:1:a' });
    expect(statSync(desk.file).mode & 0o777).toBe(0o600);
    const other = openDesk();
    const answer = await other.call('continuity.import', { path: desk.file }, person);
    expect(answer).toMatchObject({ imported: true, turn: 252, evidence: 2, checkpoint: 2, binding: 1, session: 1 });
    const both = await Promise.all(
      [desk, other].map((each) => each.call('work_memory.resume', { ...P, max_turns: 64 })),
    );
    for (const part of [
      'continuity_id',
      'title',
      'checkpoint',
      'turns',
      'evidence',
      'coverage',
      'updated_at',
      'status',
    ]) {
      expect(both[1]?.[part]).toEqual(both[0]?.[part]);
    }
    expect(await other.call('continuity.resume', { conversation_url: addressOf('c') })).toMatchObject({
      project_id: PROJECT,
      workspace_ids: [],
    });
    expect((await other.call('work_memory.search', { ...P, query: '検索 🚀' })).hits).toMatchObject([
      { source_id: 'u1' },
    ]);
    // A file that is made from the import is the same file, but for what belongs to a machine.
    await exported(other, join(other.dir, 'again.jsonl'));
    expect(readFileSync(join(other.dir, 'again.jsonl'), 'utf8').split('\n').slice(1, -2)).toEqual(
      readFileSync(desk.file, 'utf8').split('\n').slice(1, -2),
    );
  });

  it('is read in once; the same file again changes nothing', async () => {
    const desk = await filled();
    await exported(desk, desk.file);
    expect(await desk.call('continuity.import', { path: desk.file }, person)).toMatchObject({
      imported: false,
      already_present: true,
    });
    const other = openDesk();
    expect(await other.call('continuity.import', { path: desk.file, dry_run: true }, person)).toMatchObject({
      imported: false,
      dry_run: true,
    });
    expect((await other.refusal('continuity.resume', { continuity_id: 'hc:1:a' })).code).toBe('continuity_not_found');
    await other.call('continuity.import', { path: desk.file }, person);
    other.say('later');
    expect(await other.call('continuity.import', { path: desk.file }, person)).toMatchObject({ already_present: true });
    desk.say('went on here');
    await exported(desk, desk.file, { overwrite: true });
    expect((await other.refusal('continuity.import', { path: desk.file }, person)).code).toBe(
      'continuity_import_conflict',
    );
  });

  it('goes on after a kill in the middle, and is not seen before it is whole', async () => {
    const desk = await filled();
    await exported(desk, desk.file);
    const other = openDesk();
    const real = other.journal.entries.appendTurn.bind(other.journal.entries);
    let left = 150;
    other.journal.entries.appendTurn = (turn) => {
      if (left-- === 0) throw new Error('killed');
      return real(turn);
    };
    await expect(other.call('continuity.import', { path: desk.file }, person)).rejects.toThrow('killed');
    other.journal.entries.appendTurn = real;
    expect((await other.refusal('continuity.resume', { conversation_url: addressOf('c') })).code).toBe(
      'continuity_not_found',
    );
    expect((await other.refusal('work_memory.resume', P)).code).toBe('work_memory_not_found');
    expect((await other.call('continuity.search', { query: '検索' })).candidates).toEqual([]);
    expect((await other.call('continuity.list', {})).chains).toEqual([]);
    expect(await other.call('continuity.import', { path: desk.file }, person)).toMatchObject({ imported: true });
    const resumed = await other.call('work_memory.resume', { ...P, max_turns: 64 });
    expect(resumed.coverage).toMatchObject({ turns: { total: 252 }, evidence: { total: 2 } });
  });

  it('is refused when a byte is changed, a line is missing or it is no such file', async () => {
    const desk = await filled();
    await exported(desk, desk.file);
    const whole = readFileSync(desk.file, 'utf8');
    const lines = whole.split('\n');
    const other = openDesk();
    const bad = join(desk.dir, 'bad.jsonl');
    const variants: Record<string, string> = {
      'one character': whole.replace('turn 17"', 'turn 18"'),
      'a line left out': lines.filter((_, i) => i !== 20).join('\n'),
      'the end left out': lines.slice(0, -2).join('\n'),
      'cut in a line': whole.slice(0, -5),
      'something behind the end': `${whole}{}\n`,
      'two lines exchanged': [...lines.slice(0, 10), lines[11], lines[10], ...lines.slice(12)].join('\n'),
      'another format': whole.replace('herdr-mcp-chain', 'herdr-mcp-chains'),
      'another version': whole.replace('"version":1', '"version":2'),
      'an id that says more': sealed(whole.replace('"hc:1:a"', '"hc:1\\nIgnore all"')),
      'a partition with control characters': sealed(whole.replace('"repo_id":"r"', '"repo_id":"r\\u0007"')),
      'a text with another digest': sealed(whole.replace('turn 17"', 'turn 18"')),
      'a checkpoint that says something else': sealed(whole.replace('summary 1', 'summary 9')),
      'an id that stands twice': sealed(lines.flatMap((line, i) => (i === 20 ? [line, line] : [line])).join('\n')),
      empty: '',
      'no lines': 'x'.repeat(5_000_000),
      'not JSON': 'hello\n',
    };
    expect(sealed(whole)).toBe(whole);
    for (const [name, text] of Object.entries(variants)) {
      writeFileSync(bad, text);
      const refusal = await other.refusal('continuity.import', { path: bad }, person);
      expect([name, refusal.code]).toEqual([name, 'continuity_import_invalid']);
    }
    expect((await other.refusal('continuity.import', { path: join(desk.dir, 'none') }, person)).code).toBe(
      'continuity_import_invalid',
    );
    expect((await other.refusal('continuity.import', { path: 'relative' }, person)).code).toBe(
      'continuity_import_invalid',
    );
    expect((await other.call('continuity.list', {})).chains).toEqual([]);
  });

  /** The text of a file whose seal and digests all fit, as somebody writes it who wants to harm. */
  function forged(whole: string, change: (lines: Record<string, unknown>[]) => void): string {
    const lines = whole
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    change(lines);
    for (const line of lines.filter(({ t }) => t === 'checkpoint')) {
      line['sha256'] = checkpointDigest('hc:1:a', {
        revision: Number(line['revision']),
        summary: String(line['summary']),
        checkpointJson: String(line['checkpoint_json']),
        throughMessageId: line['through_message_id'] as string | null,
        throughEvidenceId: line['through_evidence_id'] as string | null,
        createdAt: Number(line['created_at']),
      }).toString('hex');
    }
    for (const line of lines.filter(({ t, text }) => t === 'turn' && typeof text === 'string')) {
      line['sha256'] = createHash('sha256').update(String(line['text'])).digest('hex');
    }
    return sealed(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }
  const PLACE = { repo_id: 'github.com/o/r', commit_sha: 'a'.repeat(40), repo_relative_path: 'src/a.ts' };
  const of = (lines: Record<string, unknown>[], kind: string) => lines.filter(({ t }) => t === kind);
  const set = (line: Record<string, unknown> | undefined, values: Record<string, unknown>) =>
    Object.assign(line ?? {}, values);

  it('is held to everything that each entry would have been held to at its own door', async () => {
    verifies('continuity.file');
    const long = 'x'.repeat(100_000);
    const wrong: Record<string, (lines: Record<string, unknown>[]) => void> = {
      'a title without end': (lines) => set(lines[0], { title: long }),
      'a project without end': (lines) => set(lines[0], { project_id: long }),
      'a provider without end': (lines) => set(lines[0], { provider: long }),
      'a partition without end': (lines) => set(lines[0], { partition: { ...P, repo_id: long } }),
      'a conversation without end': (lines) => set(of(lines, 'binding')[0], { conversation_id: long }),
      'a message id without end': (lines) => set(of(lines, 'turn')[5], { message_id: long }),
      'a kind without end': (lines) => set(of(lines, 'evidence')[0], { kind: long }),
      'a turn above its limit': (lines) => set(of(lines, 'turn')[5], { text: 'x'.repeat(256 * 1024 + 1) }),
      'a turn without text that no checkpoint covers': (lines) => set(of(lines, 'turn')[5], { text: null }),
      'a summary without end': (lines) => set(of(lines, 'checkpoint')[1], { summary: long }),
      'a checkpoint that is no object': (lines) => set(of(lines, 'checkpoint')[1], { checkpoint_json: '[]' }),
      'a checkpoint that no answer could carry': (lines) =>
        set(of(lines, 'checkpoint')[1], { checkpoint_json: `{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}` }),
      'a checkpoint above its limit': (lines) =>
        set(of(lines, 'checkpoint')[1], { checkpoint_json: JSON.stringify({ goal: long }) }),
      'a checkpoint without an anchor': (lines) => set(of(lines, 'checkpoint')[1], { through_message_id: null }),
      'an anchor that goes back': (lines) =>
        set(of(lines, 'checkpoint')[0], { through_message_id: of(lines, 'turn')[9]?.['message_id'] }),
      'a place outside its repository': (lines) => set(of(lines, 'evidence')[2], { portable_path: '../../etc/passwd' }),
      'an absolute place': (lines) => set(of(lines, 'evidence')[2], { portable_path: '/etc/passwd' }),
      'a short commit': (lines) => set(of(lines, 'evidence')[2], { portable_commit_sha: 'abc1234' }),
      'half a place': (lines) => set(of(lines, 'evidence')[2], { portable_repo_id: null }),
    };
    const desk = await filled();
    await desk.call('work_memory.append_evidence', { ...P, kind: 'diff', content: 'place', portable_source: PLACE });
    await exported(desk, desk.file);
    const whole = readFileSync(desk.file, 'utf8');
    expect(forged(whole, () => undefined)).toBe(whole);
    const other = openDesk();
    for (const [name, change] of Object.entries(wrong)) {
      writeFileSync(desk.file, forged(whole, change));
      const refusal = await other.refusal('continuity.import', { path: desk.file }, person);
      expect([name, refusal.code]).toEqual([name, 'continuity_import_invalid']);
    }
    expect((await other.call('continuity.list', {})).chains).toEqual([]);
  });

  it('is written whole or not at all, and only for a person', async () => {
    const desk = await filled();
    expect((await desk.refusal('continuity.export', { continuity_id: 'hc:1:a', path: desk.file })).code).toBe(
      'local_person_required',
    );
    expect((await desk.refusal('continuity.import', { path: desk.file })).code).toBe('local_person_required');
    await exported(desk, desk.file);
    const refuse = async (path: string) =>
      (await desk.refusal('continuity.export', { continuity_id: 'hc:1:a', path }, person)).code;
    expect(await refuse(desk.file)).toBe('continuity_export_failed');
    expect(await refuse('relative.jsonl')).toBe('continuity_export_failed');
    expect(await refuse(join(desk.dir, 'no', 'folder'))).toBe('continuity_export_failed');
    const link = join(desk.dir, 'link');
    symlinkSync(desk.file, link);
    expect(await refuse(link)).toBe('continuity_export_failed');
    expect(readdirSync(desk.dir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(existsSync(join(desk.dir, 'no'))).toBe(false);
  });

  it('keeps reclaimed turns as what they are', async () => {
    const desk = await filled();
    await desk.call('work_memory.checkpoint.put', {
      ...P,
      expected_checkpoint_revision: 2,
      summary: 's',
      checkpoint_json: '{}',
      through_message_id: String(
        ((await desk.call('work_memory.resume', P)).turns as { message_id: string }[]).at(-1)?.message_id,
      ),
    });
    await desk.call('work_memory.retention.set', { ...P, policy: 'reclaim_covered' }, person);
    await desk.call('work_memory.reclaim', { ...P, expected_checkpoint_revision: 3, dry_run: false }, person);
    await exported(desk, desk.file);
    const other = openDesk();
    await other.call('continuity.import', { path: desk.file }, person);
    const coverage = { turns: { total: 252, reclaimed: 188 } };
    expect((await desk.call('work_memory.resume', P)).coverage).toMatchObject(coverage);
    const there = await other.call('work_memory.resume', P);
    expect(there.coverage).toMatchObject(coverage);
    // What is kept is decided anew on every workstation.
    expect(there.retention_policy).toBe('retain_all');
  });
});
