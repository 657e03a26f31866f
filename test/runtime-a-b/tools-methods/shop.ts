/** For each test a runtime over a scripted Herdr that shows one pane, in the workspace “shop”. */
import { afterEach, beforeEach } from 'vitest';
import {
  type FakeHerdr,
  fakeHerdr,
  pane,
  snapshotOf,
  type TestRuntime,
  tab,
  testRuntime,
  workspace,
} from '../support/index.ts';

export let herdr: FakeHerdr;
export let rt: TestRuntime;
beforeEach(async () => {
  herdr = await fakeHerdr({
    'session.snapshot': () =>
      snapshotOf({ workspaces: [workspace('w1', { label: 'shop' })], tabs: [tab('w1:t1')], panes: [pane('w1:p1')] }),
    'pane.close': () => ({ type: 'ok' }),
  });
  rt = await testRuntime({ herdrSocket: herdr.path });
});
afterEach(async () => {
  await rt.end();
  await herdr.stop();
});

export const call = (method: string, params?: unknown, more = {}) =>
  rt.call('herdr_call', {
    method,
    ...(params === undefined ? {} : { params: typeof params === 'string' ? params : JSON.stringify(params) }),
    ...more,
  });
export const sent = (method: string) => herdr.requests.filter((request) => request.method === method);
