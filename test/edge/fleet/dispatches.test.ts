import * as Value from 'typebox/value';
import { beforeEach, expect, it } from 'vitest';
import { DispatchList } from '../../../contract/fleet/index.ts';
import { verifies } from '../../verifies.ts';
import { ask } from '../auth/harness.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { callInput, freshEdge, type Rig } from '../workstation/rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await freshEdge();
});

const get = (query: string) => rig.device.get(`/dispatches${query}`);

it('a workstation finds the receipts of all its writes, whoever asked for them, and nobody else does', async () => {
  verifies('cli.dispatch', 'dispatch.receipts');
  const link = await FakeLink.connect(rig.device);
  link.onCall = ({ call }) => link.answer(call.dispatch_id, toolResult({ ok: true }));
  const ids: string[] = [];
  for (const principalId of ['one', 'two']) {
    const input = await callInput(rig, { class: 'write', principalId });
    ids.unshift(input.call.dispatch_id);
    await rig.object().call(input);
  }
  const all = await (await get('')).json();
  expect(Value.Check(DispatchList, all)).toBe(true);
  expect(all).toMatchObject({
    dispatches: ids.map((dispatch_id) => ({ dispatch_id, delivery: 'delivered', ok: true })),
  });
  expect(await (await get(`?dispatch_id=${ids[1]}`)).json()).toMatchObject({ dispatches: [{ dispatch_id: ids[1] }] });
  expect(await (await get('?last=1')).json()).toMatchObject({ dispatches: [{ dispatch_id: ids[0] }] });
  expect((await get('?last=51')).status).toBe(400);
  expect((await get('?dispatch_id=d_1')).status).toBe(400);
  expect((await ask('/dispatches')).status).toBe(401);
  expect((await ask('/dispatches', { headers: { authorization: `Bearer ${rig.token}` } })).status).toBe(401);
});
