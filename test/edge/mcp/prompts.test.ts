/** The planner's skill modules as prompts, with no workstation connected. */
import { beforeAll, describe, expect, it } from 'vitest';
import { SKILL_MODULES } from '../../../contract/skills/index.ts';
import { verifies } from '../../verifies.ts';
import { freshEdge } from '../workstation/rig.ts';
import { ENVELOPE, modernHeaders, rpc } from './client.ts';

let token: string;
beforeAll(async () => {
  token = (await freshEdge()).token;
});

const ask = (era: 'legacy' | 'modern', method: string, params: Record<string, unknown> = {}) =>
  era === 'legacy'
    ? rpc(method, params, { token })
    : rpc(
        method,
        { ...params, _meta: ENVELOPE },
        { token, headers: modernHeaders(method, params['name'] as string | undefined) },
      );

describe.each(['legacy', 'modern'] as const)('prompts for a client of the %s era', (era) => {
  it('are declared, listed, and given whole', async () => {
    verifies('edge.prompts');
    const { message } = await ask(era, 'prompts/list');
    const prompts = message.result?.['prompts'] as { name: string; title: string; description: string }[];
    expect(prompts.map(({ name }) => name)).toEqual(SKILL_MODULES.map(({ id }) => id));
    for (const { id, title, description, text } of SKILL_MODULES) {
      expect(prompts.find(({ name }) => name === id)).toEqual({ name: id, title, description });
      const got = await ask(era, 'prompts/get', { name: id });
      expect(got.message.result).toMatchObject({
        description,
        messages: [{ role: 'user', content: { type: 'text', text } }],
      });
    }
  });

  it('that do not exist are invalid params, with the names that do', async () => {
    const { message } = await ask(era, 'prompts/get', { name: 'no-such' });
    expect(message.error).toMatchObject({ code: -32602, data: { known: SKILL_MODULES.map(({ id }) => id) } });
  });

  it('are for nobody without a token', async () => {
    expect((await rpc('prompts/list', {}, {})).status).toBe(401);
  });
});

it('are declared where a client looks for them', async () => {
  verifies('edge.prompts');
  const discovered = await ask('modern', 'server/discover');
  expect(discovered.message.result).toMatchObject({ capabilities: { prompts: { listChanged: false } } });
  const listed = await ask('modern', 'prompts/list');
  expect(listed.message.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
  expect(listed.message.result?.['ttlMs']).toBeGreaterThan(0);
});
