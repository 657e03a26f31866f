/** A workstation of its own for each test, on real time again after it. */
import { afterEach, beforeEach, vi } from 'vitest';
import { type FakeRuntime, text } from './fake-runtime.ts';
import { Workstation } from './workstation.ts';

export let at: Workstation;
beforeEach(async () => {
  at = await new Workstation().prepare();
});
afterEach(async () => {
  vi.useRealTimers();
  await at.stop();
});

/** A tool that finishes when the test says so. */
export function gate(): { tool: FakeRuntime['tool']; release: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const tool: FakeRuntime['tool'] = async ({ args }) => {
    if (args['slow'] === true) await opened;
    return text(JSON.stringify(args));
  };
  return { tool, release: open };
}
