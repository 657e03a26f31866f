/** The live picture of a Herdr, real or scripted; what a test begins ends with it. */
import { afterEach } from 'vitest';
import {
  createHerdrClient,
  type HerdrView,
  type LiveHerdrCache,
  watchHerdr,
} from '../../../runtime-a-b/herdr/index.ts';
import { type FakeHerdr, fakeHerdr, pane, silent, tab, until, workspace } from '../support/index.ts';

export const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export function watch(path: string): LiveHerdrCache {
  const live = watchHerdr(createHerdrClient(path), { nowMs: Date.now, log: silent });
  cleanups.push(() => live.stop());
  return live;
}

export async function fake(methods = {}): Promise<FakeHerdr> {
  const herdr = await fakeHerdr(methods);
  cleanups.push(() => herdr.stop());
  return herdr;
}

export const state = (live: LiveHerdrCache, wanted: HerdrView['state']) =>
  until(`a ${wanted} picture`, () => live.view().state === wanted && live.view());

export const one = {
  workspaces: [workspace('w1')],
  tabs: [tab('w1:t1')],
  panes: [pane('w1:p1')],
  focused_workspace_id: 'w1',
};
