/** What the runtime's tests share: a scripted Herdr, a whole runtime behind its port, a way to wait. */
export { until } from '../../embedded-herdr/harness/poll.ts';
export { DEVICE, envelopeFor, newId, silent } from './envelope.ts';
export { FakeError, type FakeHerdr, type FakeRequest, fakeHerdr, PONG, snapshotOf } from './fake-herdr.ts';
export { agent, pane, paneRead, tab, view, workspace } from './objects.ts';
export {
  type Called,
  callOver,
  readCalled,
  type TestRuntime,
  tempFolder,
  testRuntime,
} from './runtime.ts';
