import { describe, expect, it } from 'vitest';
import { encodeRef } from '../../../contract/refs.ts';
import { isTrigger } from '../../../runtime-a-b/continuity/index.ts';
import { verifies } from '../../verifies.ts';
import { addressOf, conversation, DEVICE, type Desk, openDesk, PROJECT, uuidOf } from './desk.ts';

const OTHER_PROJECT = 'g-p-ffffffffffffffffffffffffffffffff';
const W1 = 'embedded/w1';

/** Three chains: two in one project, one of them in a workspace; one alone with a Work Memory partition. */
async function three(): Promise<Desk> {
  const desk = openDesk();
  desk.say('検索を作る alpha', { continuityId: 'hc:1:a', projectId: PROJECT, workspaceId: W1, title: 'Search engine' });
  desk.say('beta works', { continuityId: 'hc:1:a', role: 'assistant' });
  desk.say('検索 gamma', {
    continuityId: 'hc:2:b',
    projectId: PROJECT,
    conversation: conversation('d'),
    title: 'Other thing',
  });
  desk.say('alone delta', {
    continuityId: 'hc:3:c',
    projectId: OTHER_PROJECT,
    conversation: conversation('e'),
    workspaceId: 'embedded/w3',
  });
  await desk.call('work_memory.bind', {
    continuity_id: 'hc:3:c',
    project_ref: 'p',
    repo_id: 'github.com/o/r',
    work_chain_id: 'w',
  });
  return desk;
}

const found = (answer: Record<string, unknown>) =>
  (answer.candidates as { continuity_id: string }[]).map((candidate) => candidate.continuity_id);

describe('continuity.search', () => {
  it.each<[string, Record<string, unknown>, string, string[]]>([
    ['one project, one chain', { project_id: OTHER_PROJECT }, 'unique_exact', ['hc:3:c']],
    ['one project, two chains', { project_id: PROJECT }, 'confirmation_required', ['hc:2:b', 'hc:1:a']],
    [
      'two chains stay two when one is asked for',
      { project_id: PROJECT, limit: 1 },
      'confirmation_required',
      ['hc:2:b'],
    ],
    [
      'words narrow to one, the project alone does not',
      { project_id: PROJECT, query: 'gamma' },
      'confirmation_required',
      ['hc:2:b'],
    ],
    ['workspace', { workspace_id: 'w1' }, 'unique_exact', ['hc:1:a']],
    ['workspace of another Herdr', { workspace_id: 'h0123456789ab/w1' }, 'none', []],
    ['workspace by ref', { workspace_id: encodeRef({ device: DEVICE, workspace: W1 }) }, 'unique_exact', ['hc:1:a']],
    ['workspace and project together', { workspace_id: 'w1', project_id: PROJECT }, 'unique_exact', ['hc:1:a']],
    ['identities that do not meet', { workspace_id: 'w1', project_id: OTHER_PROJECT }, 'none', []],
    ['conversation', { conversation_id: uuidOf('d') }, 'unique_exact', ['hc:2:b']],
    ['address', { conversation_url: `${addressOf('d', PROJECT)}?x=1` }, 'unique_exact', ['hc:2:b']],
    [
      'unknown address in a project with two',
      { conversation_url: addressOf('z', PROJECT) },
      'confirmation_required',
      ['hc:2:b', 'hc:1:a'],
    ],
    [
      'unknown address in a project with one',
      { conversation_url: addressOf('z', OTHER_PROJECT) },
      'unique_exact',
      ['hc:3:c'],
    ],
    ['words alone, one match', { query: 'delta' }, 'confirmation_required', ['hc:3:c']],
    ['words alone, two matches', { query: '検索' }, 'confirmation_required', ['hc:2:b', 'hc:1:a']],
    ['words in a title', { query: 'search ENG' }, 'confirmation_required', ['hc:1:a']],
    ['words and identity that agree', { workspace_id: 'w1', query: 'alpha' }, 'unique_exact', ['hc:1:a']],
    ['words that do not stand in the owner', { workspace_id: 'w1', query: 'delta' }, 'none', []],
    ['words that stand nowhere', { query: 'nowhere' }, 'none', []],
    ['repository alone', { repo_id: 'github.com/o/r' }, 'confirmation_required', ['hc:3:c']],
    ['repository and identity', { repo_id: 'github.com/o/r', project_id: OTHER_PROJECT }, 'unique_exact', ['hc:3:c']],
    [
      'another repository is never safe',
      { repo_id: 'x', project_id: OTHER_PROJECT },
      'confirmation_required',
      ['hc:3:c'],
    ],
    [
      'a chain without repository is never safe',
      { repo_id: 'x', workspace_id: 'w1', query: 'alpha' },
      'confirmation_required',
      ['hc:1:a'],
    ],
    ['"continue" names nothing', { query: '続けて' }, 'confirmation_required', ['hc:3:c', 'hc:2:b', 'hc:1:a']],
    ['"continue" with an exact identity', { query: 'Continue!', workspace_id: 'w1' }, 'unique_exact', ['hc:1:a']],
    [
      '"continue" with two owners',
      { query: 'continue', project_id: PROJECT },
      'confirmation_required',
      ['hc:2:b', 'hc:1:a'],
    ],
    ['nothing asked', {}, 'confirmation_required', ['hc:3:c', 'hc:2:b', 'hc:1:a']],
  ])('%s', async (_, params, resolution, expected) => {
    verifies('continuity.resolve');
    const answer = await (await three()).call('continuity.search', params);
    expect(found(answer)).toEqual(expected);
    expect(answer).toMatchObject({ resolution, auto_resume_safe: resolution === 'unique_exact', history: true });
  });

  it('gives bounded evidence to choose by', async () => {
    verifies('continuity.resolve');
    const desk = await three();
    desk.say(`${'long '.repeat(5000)}`, { workspaceId: W1 });
    const { candidates } = await desk.call('continuity.search', { query: 'alpha' });
    expect(candidates).toMatchObject([
      {
        title: 'Search engine',
        workspace_ids: [W1],
        work_memory: null,
        status: 'active',
        recent_assistant_excerpt: 'beta works',
        match_reasons: ['text'],
        repo_scope: null,
      },
    ]);
    const [first] = candidates as { recent_user_excerpt: string }[];
    expect(first?.recent_user_excerpt.length).toBeLessThanOrEqual(241);
  });

  it('refuses names that contradict each other, and a plain workspace id while Herdr is unknown', async () => {
    const desk = await three();
    const code = async (params: Record<string, unknown>, over = {}) =>
      (await desk.refusal('continuity.search', params, over)).code;
    expect(await code({ conversation_url: addressOf('c'), conversation_id: uuidOf('d') })).toBe(
      'continuity_search_params_invalid',
    );
    expect(await code({ conversation_url: addressOf('c', PROJECT), project_id: OTHER_PROJECT })).toBe(
      'continuity_search_params_invalid',
    );
    expect(await code({ conversation_url: 'https://example.com/c/1' })).toBe('conversation_url_unsupported');
    expect(await code({ query: '…!' })).toBe('continuity_search_params_invalid');
    expect(await code({ workspace_id: 'w1' }, { live: { view: () => ({ server: undefined }) } })).toBe(
      'continuity_search_params_invalid',
    );
    expect(await code({ workspace_id: encodeRef({ device: 'dev_OTHER', workspace: W1 }) })).toBe(
      'continuity_search_params_invalid',
    );
    expect(await code({ limit: 11 })).toBe('invalid_params');
  });

  it('finds rare chains behind a word that stands in thousands of newer turns', async () => {
    const desk = openDesk();
    desk.journal.state.database.exec('BEGIN');
    desk.say('common first', { continuityId: 'hc:1:a' });
    for (let i = 0; i < 2500; i++) desk.say(`common ${i}`, { continuityId: 'hc:2:b', conversation: conversation('d') });
    desk.journal.state.database.exec('COMMIT');
    const answer = await desk.call('continuity.search', { query: 'common' });
    expect(found(answer)).toEqual(['hc:2:b', 'hc:1:a']);
    expect(answer.search_complete).toBe(true);
  });

  it.each(['continue', 'Resume.', '続けて！', '「続きから」', 'どこまで進んだか？', '继续', '  go   on '])(
    '%s is a trigger',
    (text) => {
      expect(isTrigger(text)).toBe(true);
    },
  );
  it.each(['continue the parser', '検索を続けて', ''])('%s is none', (text) => {
    expect(isTrigger(text)).toBe(false);
  });
});
