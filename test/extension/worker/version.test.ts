import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerPage, type PageParts } from '../../../extension/background/pages.ts';
import type { Area } from '../../../extension/background/store.ts';
import { type SweepParts, sweepTabs } from '../../../extension/background/sweep.ts';
import { EMPTY, type Event } from '../../../extension/machines/worker/index.ts';
import { ASKED_SITES, pagesOf } from '../../../extension/policy.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { buildExtension } from '../../../scripts/build/extension.ts';
import { build, DIST, ROOT, readBuilt } from '../../../scripts/build/index.ts';
import { verifies } from '../../verifies.ts';
import { chat, QUIET } from './chat.ts';

function area(): Area {
  const kept = new Map<string, unknown>();
  return {
    get: (keys) =>
      Promise.resolve(Object.fromEntries(keys.flatMap((key) => (kept.has(key) ? [[key, kept.get(key)]] : [])))),
    async set(items) {
      for (const [key, value] of Object.entries(items)) kept.set(key, structuredClone(value));
    },
  };
}

/** Tabs by id: the version that runs there (null: none of ours), and whether a reload would lose nothing. */
function browser(tabs: Record<number, { version: string | null; safe: boolean }>) {
  const reloaded: number[] = [];
  const local = area();
  const parts = (version: string): SweepParts => ({
    version,
    local,
    tabs: () => Promise.resolve(Object.keys(tabs).map(Number)),
    versionIn: (tab) => Promise.resolve(tabs[tab]?.version ?? null),
    isSafe: (tab) => Promise.resolve(tabs[tab]?.safe ?? false),
    async reload(tab) {
      reloaded.push(tab);
      const open = tabs[tab];
      if (open) open.version = version;
    },
  });
  return { tabs, reloaded, parts, sweep: (version: string) => sweepTabs(parts(version)) };
}

describe('after an update', () => {
  it('each open tab is brought to the new version once, and only while it is idle with an empty composer', async () => {
    verifies('compat.version');
    const it = browser({
      1: { version: null, safe: true },
      2: { version: '1.0.0', safe: false },
      3: { version: '1.1.0', safe: true },
    });
    await it.sweep('1.1.0');
    expect(it.reloaded).toEqual([1]);
    await it.sweep('1.1.0');
    expect(it.reloaded).toEqual([1]);
    Object.assign(it.tabs[2] ?? {}, { safe: true });
    await it.sweep('1.1.0');
    await it.sweep('1.1.0');
    expect(it.reloaded).toEqual([1, 2]);
  });

  it('an ordinary wake of the worker reloads nothing, whatever the tabs run', async () => {
    verifies('compat.version');
    const it = browser({ 1: { version: '1.1.0', safe: true } });
    await it.sweep('1.1.0');
    it.tabs[9] = { version: null, safe: true };
    await it.sweep('1.1.0');
    expect(it.reloaded).toEqual([]);
  });

  it('a reload of the extension reaches every tab anew, because their page scripts cannot speak to it any more', async () => {
    verifies('compat.version');
    const it = browser({ 1: { version: '1.1.0', safe: true } });
    await it.sweep('1.1.0');
    Object.assign(it.tabs[1] ?? {}, { version: null });
    await it.sweep('1.1.0');
    expect(it.reloaded).toEqual([]);
    await sweepTabs(it.parts('1.1.0'), true);
    expect(it.reloaded).toEqual([1]);
  });

  it('a worker that dies at the reload does not repeat it', async () => {
    const it = browser({ 1: { version: null, safe: true } });
    const dying = { ...it.parts('1.1.0'), reload: () => Promise.reject(new Error('the worker has died')) };
    await expect(sweepTabs(dying)).rejects.toThrow();
    await it.sweep('1.1.0');
    expect(it.reloaded).toEqual([]);
  });

  it('a page of another version is answered, changes nothing and is counted', async () => {
    verifies('compat.version', 'compat.stale');
    const taken: Event[] = [];
    const parts = {
      version: '1.1.0',
      take: (event: Event) => {
        taken.push(event);
        return Promise.resolve({ ok: true as const, seen: null, notSent: null });
      },
      state: () => Promise.resolve(EMPTY),
    } as unknown as PageParts;
    const message = {
      herdr: 1,
      to: 'worker',
      version: '1.0.0',
      document: 'd',
      page: chat(),
      kind: 'here',
      body: { state: QUIET },
    } as const;
    expect(await answerPage(parts, message, { tab: 1, url: chat().url, shown: chat().url })).toEqual({
      ok: false,
      reason: 'version_mismatch',
    });
    expect(taken).toEqual([{ type: 'ignored', why: 'other_version' }]);
  });
});

describe('the built extension', () => {
  beforeAll(() => build({ parts: ['extension'] }), 120_000);
  const read = (file: string) => readFileSync(join(DIST, 'extension', file), 'utf8');

  it('has one version in its manifest, its worker and its page script', () => {
    verifies('compat.version');
    const manifest = JSON.parse(read('manifest.json')) as Record<string, unknown>;
    expect(manifest['version']).toBe(packageJson.version);
    const chunks = execFileSync('ls', [join(DIST, 'extension', 'chunks')], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const worker = [read('background.js'), ...chunks.map((name) => read(`chunks/${name}`))].join('\n');
    // The constant is put in at build time; `__HERDR_VERSION__` left over would be a reference to nothing.
    for (const script of [worker, read('content-scripts/chatgpt.js')]) {
      expect(script).toMatch(new RegExp(`[\`"']${packageJson.version.replaceAll('.', '\\.')}[\`"']`));
      expect(script).not.toContain('__HERDR_VERSION__');
    }
  });

  it('asks for exactly the permissions that it uses', () => {
    verifies('extension.no-secrets');
    const manifest = JSON.parse(read('manifest.json')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      manifest_version: 3,
      permissions: ['storage', 'scripting', 'alarms', 'nativeMessaging', 'sidePanel'],
      host_permissions: ['https://chatgpt.com/*'],
      optional_host_permissions: ASKED_SITES.map(pagesOf),
      background: { type: 'module' },
    });
    for (const forbidden of ['tabs', 'debugger', 'cookies', 'webRequest', '<all_urls>']) {
      expect(JSON.stringify(manifest)).not.toContain(`"${forbidden}"`);
    }
    expect(manifest['web_accessible_resources'] ?? []).toEqual([]);
  });

  it('is packed into the same bytes wherever and whenever it is built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hx-zip-'));
    await buildExtension(ROOT, folder);
    const again = readFileSync(join(folder, 'extension.zip'));
    rmSync(folder, { recursive: true });
    const first = await readBuilt(async () => readFileSync(join(DIST, 'extension.zip')));
    expect(again.equals(first)).toBe(true);
    expect(first.length).toBeGreaterThan(10_000);
  }, 120_000);
});
