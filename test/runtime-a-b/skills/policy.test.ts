import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../../contract/catalog/index.ts';
import { isReadMethod } from '../../../contract/methods.ts';
import { OUTCOME_CODES } from '../../../contract/outcome.ts';
import { GLOBAL_POLICY, SKILL_MODULES } from '../../../contract/skills/index.ts';
import { isProgressive } from '../../../runtime-a-b/skills/index.ts';
import { verifies } from '../../verifies.ts';
import { type TestRuntime, testRuntime } from '../support/index.ts';
import { RULES } from './rules.ts';

type Json = Record<string, unknown>;
const skill = async (rt: TestRuntime, args: Json = {}) => (await rt.call('herdr_skill', args)).json;
const callMethod = async (rt: TestRuntime, method: string, params: Json = {}) =>
  (await rt.call('herdr_call', { method, params: JSON.stringify(params) })).json;

describe('the planner’s policy as it is served', () => {
  it('teaches every rule of the documents in both modes: as one document, and as bootstrap with modules', async () => {
    verifies('runtime.skill', 'tasks.skills');
    const [single, progressive] = await Promise.all([
      testRuntime(),
      testRuntime({ env: { HERDR_MCP_PROGRESSIVE_SKILLS: '1' } }),
    ]);
    const document = await skill(single);
    expect(document).toMatchObject({ ok: true, mode: 'single', status: { generation: 'a' } });
    const bootstrap = await skill(progressive);
    expect(bootstrap).toMatchObject({ mode: 'progressive', capability_snapshot: { source: 'not_scanned' } });
    const ids = (bootstrap.catalog as { id: string }[]).map(({ id }) => id);
    expect(ids).toHaveLength(8);
    const loaded = await callMethod(progressive, 'herdr_mcp.skill.load', { ids });
    const modules = (loaded.modules as { content: string }[]).map(({ content }) => content);
    for (const served of [String(document.content), [bootstrap.content, ...modules].join('\n')]) {
      const untaught = RULES.filter(([, ...words]) => !words.every((word) => word.test(served))).map(([rule]) => rule);
      expect(untaught).toEqual([]);
    }
    await Promise.all([single.end(), progressive.end()]);
  }, 90_000);

  it('gives the rule about earlier work to everybody at once, in whichever mode', () => {
    verifies('runtime.skill');
    expect(GLOBAL_POLICY).toMatch(/call continuity\.resolve, then continuity\.search, before asking the person/);
  });

  it('is short at first, and names no tool, method or code that does not exist', async () => {
    verifies('tasks.skills');
    const rt = await testRuntime();
    expect(Buffer.byteLength(GLOBAL_POLICY)).toBeLessThan(4_000);
    const listed = (await rt.call('herdr_methods', {})).json.methods as { method: string }[];
    const methods = new Set(listed.map(({ method }) => method));
    const tools = new Set(TOOLS.map(({ name }) => name));
    const all = [GLOBAL_POLICY, ...SKILL_MODULES.map(({ text }) => text)].join('\n');
    for (const [name] of all.matchAll(/\bherdr_[a-z_]+(\.[a-z_]+)*/g)) {
      if (name.startsWith('herdr_mcp.')) expect(methods.has(name) || isReadMethod(name), name).toBe(true);
      else expect(tools, name).toContain(name);
    }
    for (const [name] of all.matchAll(/\b(continuity|work_memory)\.[a-z_.]*[a-z]/g)) expect(methods).toContain(name);
    const codes = ['outside_managed_roots', 'grep_incomplete', 'grep_timeout', 'secret_path_denied', 'exec_timeout'];
    codes.push('old_string_not_found', 'agent_working', 'file_dirty_confirmation_required', 'readonly_mode');
    codes.push('root_not_whitelisted', 'operational_root_mutation_unsupported', 'not_a_git_repo', 'agent_not_found');
    codes.push('agent_input_not_empty', 'delivery_uncertain', 'continuity_ambiguous');
    for (const code of codes) {
      expect(all).toContain(code);
      expect(OUTCOME_CODES).toHaveProperty(code);
    }
    await rt.end();
  });

  it.each([
    [undefined, false],
    ['', false],
    ['0', false],
    ['off', false],
    ['1', true],
    ['true', true],
    ['ON', true],
    ['progressive', true],
  ])('HERDR_MCP_PROGRESSIVE_SKILLS=%s means progressive: %s', (value, expected) => {
    verifies('tasks.skills');
    expect(isProgressive({ HERDR_MCP_PROGRESSIVE_SKILLS: value })).toBe(expected);
  });
});
