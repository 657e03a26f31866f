/** The bar says what is done about a page and why, in every case and language, and takes nothing out of a person's hands. */
import { describe, expect, it } from 'vitest';
import type { Found, RecoveryView } from '../../../extension/health.ts';
import { recoveryText } from '../../../extension/hud/recovery.tsx';
import type { HudState, Reason } from '../../../extension/messages.ts';
import { LANGUAGES } from '../../../look/words/index.ts';
import { verifies } from '../../verifies.ts';
import { world } from '../worker/world.ts';
import { PAGES, page, SERVERS } from './looks.ts';

const FOUND: readonly Found[] = [
  'send_timeout',
  'interrupted',
  'thread_error',
  'no_answer',
  'server_ahead',
  'server_stalled',
  'retry_failed',
  'render_stall',
  'memory_pressure',
];
const HOLDS: readonly Reason[] = [
  'user_typing',
  'card_waiting',
  'turn_in_progress',
  'page_unreadable',
  'wake_in_flight',
  'transfer_active',
  'delivery_uncertain',
  'cooling_down',
  'rate_limited',
  'server_unknown',
  'nothing_to_recover',
];
const VIEWS: readonly RecoveryView[] = FOUND.flatMap((found): RecoveryView[] => [
  { phase: 'suspect', found, act: null, hold: null },
  { phase: 'exhausted', found, act: null, hold: null },
  ...HOLDS.map((hold) => ({ phase: 'suspect' as const, found, act: null, hold })),
  ...(['reload', 'retry'] as const).flatMap((act): RecoveryView[] => [
    ...(['offered', 'ordered', 'acted'] as const).map((phase) => ({ phase, found, act, hold: null })),
    ...HOLDS.map((hold) => ({ phase: 'held' as const, found, act, hold })),
  ]),
]);

describe.each(LANGUAGES)('in %s', (language) => {
  it('every state of a page has its own whole sentences, with what was found and why nothing is done', async () => {
    verifies('extension.recovery');
    const hud = await (await troubled(page())).hud();
    const said = VIEWS.map((recovery) => recoveryText({ ...hud, language, recovery }) ?? '');
    expect(said.filter((text) => text.length < 8 || /[{}]|undefined/.test(text))).toEqual([]);
    // Two states that are not told apart by what they do are told apart by what they say.
    expect(new Set(said).size).toBe(VIEWS.length);
    expect(recoveryText({ ...hud, language, recovery: null })).toBeNull();
  });
});

async function troubled(evidence: (typeof PAGES)[string], server: (typeof SERVERS)[string] = null) {
  const it = world();
  await it.begin();
  await it.bind();
  await it.take({ type: 'health', from: it.from(), evidence });
  await it.take({ type: 'examined', from: it.from(), evidence, server });
  return it;
}

/** What a person may press, without the step that is offered. */
const pressable = ({ actions: { recover: _, ...others }, auto }: HudState) => ({ others, auto });

describe('a person', () => {
  it.each(Object.keys(PAGES))('may press everything as before: %s', async (name) => {
    verifies('extension.recovery');
    const before = await (await troubled(page())).hud();
    for (const server of Object.values(SERVERS)) {
      const it = await troubled(PAGES[name] ?? page(), server);
      expect(pressable(await it.hud())).toEqual(pressable(before));
    }
  });

  it('goes on by hand while something is offered, and the next turn is a new one', async () => {
    const it = await troubled(PAGES['an error with Retry'] ?? page(), SERVERS['ahead'] ?? null);
    expect((await it.hud()).recovery).toMatchObject({ phase: 'offered' });
    expect(await it.press({ name: 'continue' })).toMatchObject({ ok: true });
    await it.take({ type: 'turn_accepted', from: it.from(), text: it.turns[0] ?? '', id: 'u1' });
    expect((await it.hud()).recovery).toBeNull();
  });

  it('takes the offered step, once; what is not offered cannot be pressed', async () => {
    const it = await troubled(PAGES['an error with Retry'] ?? page(), SERVERS['ahead'] ?? null);
    expect((await it.hud()).actions.recover).toBeNull();
    expect(await it.press({ name: 'recover' })).toMatchObject({ ok: true });
    expect((await it.hud()).recovery).toMatchObject({ phase: 'ordered', act: 'reload' });
    expect(await it.press({ name: 'recover' })).toEqual({ ok: false, reason: 'nothing_to_recover' });
    expect((await it.hud()).actions.recover).toBe('nothing_to_recover');
  });
});
