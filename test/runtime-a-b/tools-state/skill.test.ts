import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../../contract/catalog/index.ts';
import { OUTCOME_CODES } from '../../../contract/outcome.ts';
import { readSkill } from '../../../runtime-a-b/skills/index.ts';
import { verifies } from '../../verifies.ts';
import { testRuntime } from '../support/index.ts';

describe('the guide', () => {
  it('comes from its own file, with what is true of the workstation now', async () => {
    verifies('runtime.skill');
    const rt = await testRuntime();
    const { json } = await rt.call('herdr_skill', { refresh: true });
    const guide = await readSkill('guide');
    expect(json).toMatchObject({
      ok: true,
      content: guide.content,
      digest: guide.digest,
      status: { generation: 'a', boot_id: rt.runtime.record.boot_id, readonly: false, herdr: { state: 'unknown' } },
      native_reference: { included: false },
    });
    await rt.end();
  });

  it('is short and names nothing that does not exist', async () => {
    const { content, bytes } = await readSkill('guide');
    expect(bytes).toBeLessThan(6_000);
    const tools = new Set(TOOLS.map(({ name }) => name));
    for (const [name] of content.matchAll(/\bherdr_[a-z_]+\b/g)) {
      if (name !== 'herdr_mcp') expect(tools).toContain(name);
    }
    for (const code of ['agent_start_not_seen', 'agent_input_not_empty']) {
      expect(content).toContain(code);
      expect(OUTCOME_CODES).toHaveProperty(code);
    }
  });
});
