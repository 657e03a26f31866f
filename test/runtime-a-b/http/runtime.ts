/** One runtime over an empty scripted Herdr, for a file of tests. */
import { afterAll, beforeAll } from 'vitest';
import { type FakeHerdr, fakeHerdr, type TestRuntime, testRuntime } from '../support/index.ts';

export let herdr: FakeHerdr;
export let rt: TestRuntime;
beforeAll(async () => {
  herdr = await fakeHerdr();
  rt = await testRuntime({ herdrSocket: herdr.path });
});
afterAll(async () => {
  await rt.end();
  await herdr.stop();
});
