/** One runtime for a file of tests, with a played browser that is signed in, and an agent in whose pane the command runs. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { ask, socketOf } from '../runtime-a-b/http/extension/client.ts';
import { type TestRuntime, testRuntime } from '../runtime-a-b/support/index.ts';
import { type Scripted, scriptedHerdr } from '../runtime-a-b/tasks/scripted.ts';
import { inProcess } from './in-process.ts';
import { type PlayedBrowser, playBrowser, SOURCE } from './webchat-browser.ts';

export const CHAIN = 'hc:lq1:abcdef0123456789';

export let herdr: Scripted;
export let rt: TestRuntime;
export let browser: PlayedBrowser;
export let truth: PlayedBrowser['see'];

beforeAll(async () => {
  herdr = await scriptedHerdr(['boss']);
  rt = await testRuntime({ herdrSocket: herdr.server.path });
  browser = await playBrowser(rt.stateDir);
  truth = browser.see;
  await browser.consent(true);
  const turn = {
    continuity_id: CHAIN,
    conversation_url: SOURCE,
    workspace_id: 'w1',
    project_id: '',
    title: 'Fix the parser',
    message_id: 'm1',
    role: 'user',
    text: 'Fix the parser.',
    observed_at: Date.now(),
  };
  await ask(socketOf(rt.stateDir), '/extension/continuity/turn', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(turn),
  });
});
afterAll(async () => {
  await browser?.end();
  await rt?.end();
  await herdr?.server.stop();
});
beforeEach(() => {
  browser.see = truth;
  browser.commands.length = 0;
});
afterEach(() => {
  process.exitCode = undefined;
});

/** In the pane of `boss` unless another is named. */
export const webchat = (args: readonly string[], given: { stateDir?: string; pane?: string } = {}) =>
  inProcess<never>(['webchat', ...args], {
    ...process.env,
    HERDR_MCP_STATE_DIR: given.stateDir ?? rt.stateDir,
    HERDR_SOCKET_PATH: herdr.server.path,
    HERDR_PANE_ID: given.pane ?? 'w1:p9',
  });
