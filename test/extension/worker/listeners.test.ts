/** The built worker, evaluated once over a browser that answers nothing: which of its listeners stand when. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { build, DIST } from '../../../scripts/build/index.ts';
import { verifies } from '../../verifies.ts';

beforeAll(() => build({ parts: ['extension'] }), 120_000);
afterAll(() => void vi.unstubAllGlobals());

/** Any interface of the browser: its calls are answered with nothing, later; its events are told to `listened`. */
function silent(path: string, listened: (event: string) => void): unknown {
  const known: Record<string, unknown> = {
    'chrome.runtime.id': 'an-extension',
    'chrome.runtime.getURL': (file: string) => `chrome-extension://an-extension/${file}`,
    'chrome.i18n.getUILanguage': () => 'en',
  };
  if (path in known) return known[path];
  return new Proxy(() => undefined, {
    get: (_target, name) => {
      // A call's answer is a promise; nothing else here may be taken for one.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      return silent(`${path}.${name}`, listened);
    },
    apply: () => {
      if (path.endsWith('.addListener')) return listened(path.slice('chrome.'.length, -'.addListener'.length));
      // A port is there at once; what it says later wakes nobody.
      if (path === 'chrome.runtime.connectNative') return silent('port', () => undefined);
      return path.startsWith('chrome.storage.') ? Promise.resolve({}) : new Promise(() => undefined);
    },
  });
}

it('the worker listens before it waits for anything, so that the event that woke it is not lost', async () => {
  verifies('extension.listeners');
  const first: string[] = [];
  const late: string[] = [];
  let open = true;
  const listened = (event: string) => {
    // Whatever is awaited, were it only a promise that is kept already, comes behind this.
    if (first.length === 0) {
      queueMicrotask(() => {
        open = false;
      });
    }
    (open ? first : late).push(event);
  };
  vi.stubGlobal('chrome', silent('chrome', listened));
  await import(pathToFileURL(join(DIST, 'extension', 'background.js')).href);
  await new Promise((resolve) => setImmediate(resolve));
  expect(first).toEqual(
    expect.arrayContaining(['runtime.onMessage', 'runtime.onConnect', 'runtime.onInstalled', 'alarms.onAlarm']),
  );
  expect(late).toEqual([]);
});
