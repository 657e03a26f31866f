import { describe, expect, it } from 'vitest';
import { type SiteScriptParts, syncSiteScripts } from '../../../extension/background/site-scripts.ts';
import type { SiteId } from '../../../extension/page.ts';
import { POLICIES } from '../../../extension/policy.ts';
import { verifies } from '../../verifies.ts';
import { chat } from './chat.ts';
import { world } from './world.ts';

const CLAUDE = 'https://claude.ai/*';

/** A browser's own lists, as far as they matter here. */
function browser(given: { held?: string[]; registered?: string[]; open?: Record<string, number[]>; ours?: number[] }) {
  const registered = new Set(given.registered);
  const held = new Set(given.held);
  const started: string[] = [];
  const parts: SiteScriptParts = {
    scripting: {
      getRegisteredContentScripts: async () => [...registered].map((id) => ({ id })),
      unregisterContentScripts: async ({ ids }) => {
        for (const id of ids) registered.delete(id);
      },
      registerContentScripts: async (scripts) => {
        for (const { id } of scripts) {
          if (registered.has(id)) throw new Error(`Duplicate script ID '${id}'`);
          registered.add(id);
        }
      },
    },
    holds: async (pages) => held.has(pages),
    tabs: async (pages) => given.open?.[pages] ?? [],
    answers: async (tab) => given.ours?.includes(tab) ?? false,
    start: async (tab, file) => void started.push(`${tab} ${file}`),
  };
  return { parts, registered, held, started };
}

describe('the script of a site that is asked for', () => {
  it('is registered only while a person switched the site on and the browser holds the permission', async () => {
    verifies('extension.asked-sites');
    for (const on of [false, true]) {
      for (const held of [false, true]) {
        const it = browser({ held: held ? [CLAUDE] : [] });
        await syncSiteScripts(it.parts, on ? ['claude'] : []);
        expect([...it.registered]).toEqual(on && held ? ['claude'] : []);
      }
    }
  });

  it('goes when the site is switched off, the permission is taken away, or nobody knows it any more', async () => {
    const it = browser({ held: [CLAUDE], registered: ['claude', 'herdr-retired'] });
    await syncSiteScripts(it.parts, ['claude']);
    expect([...it.registered]).toEqual(['claude']);
    it.held.clear();
    await syncSiteScripts(it.parts, ['claude']);
    expect([...it.registered]).toEqual([]);
  });

  it('reaches tabs that are open already, without a reload, once, and none that runs it', async () => {
    const it = browser({ held: [CLAUDE], open: { [CLAUDE]: [1, 2] }, ours: [2] });
    await syncSiteScripts(it.parts, ['claude']);
    await syncSiteScripts(it.parts, ['claude']);
    expect(it.started).toEqual(['1 content-scripts/claude.js']);
  });
});

describe('a site that is asked for', () => {
  const page = {
    ...chat(),
    site: 'claude' as const,
    conversation: 'https://claude.ai/chat/5b0f6f4e-1111-4222-8333-444455556666',
    url: 'https://claude.ai/chat/5b0f6f4e-1111-4222-8333-444455556666',
  };

  it('binds no conversation to a workspace: it is not woken', async () => {
    const it = world({ page });
    await it.begin();
    expect(await it.bind()).toMatchObject({ ok: false, reason: 'site_unbound' });
  });

  it('is off until a person says otherwise; what is no such site is never on', async () => {
    const it = world();
    await it.begin();
    expect((await it.state()).config.sites).toEqual([]);
    await it.take({ type: 'config', config: { sites: ['claude', 'chatgpt', 'nowhere' as SiteId, 'claude'] } });
    expect((await it.state()).config.sites).toEqual(['claude']);
  });

  it('keeps nothing in the Options that is no choice of theirs', async () => {
    const it = world();
    await it.begin();
    const garbage = { language: 'xx' as 'en', projectPermission: 'yes' as unknown as boolean, sites: [] };
    await it.take({ type: 'config', config: { ...garbage, progressTickSec: Number.NaN, progressFallbackSec: -1 } });
    const { language, projectPermission, progressTickSec, progressFallbackSec } = (await it.state()).config;
    expect([language, projectPermission, progressFallbackSec]).toEqual([null, false, 0]);
    expect(progressTickSec).toBeGreaterThan(0);
  });

  it('has an origin of its own, and no capability that its adapter cannot fulfil', () => {
    const origins = Object.values(POLICIES).map(({ origin }) => origin);
    expect(new Set(origins).size).toBe(origins.length);
    const begins = Object.entries(POLICIES).filter(([, { capabilities }]) => capabilities.includes('session.create'));
    expect(begins.map(([site]) => site)).toEqual(['chatgpt', 'zai']);
  });
});
