/** A page that had agreed to a reload and did not do it: what it would have cost comes back, exactly once. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, page, SERVERS } from './looks.ts';

const CUT = page({ pending: true, streaming: true, stillMs: 100_000, confirmed: false });
const FULL = page({ heap: { level: 'critical', forMs: 90_000 }, stillMs: 90_000 });
const AHEAD = SERVERS['ahead'] ?? null;

function agreed() {
  const it = chat();
  it.take({ type: 'turn', id: 'u1', hash: 'h1' });
  expect(it.learn(CUT, AHEAD).effects).toMatchObject([{ type: 'recover', order: { act: 'reload' } }]);
  const { id = '' } = it.health().order ?? {};
  expect(it.health()).toMatchObject({ phase: 'ordered', reloads: 1, reloadedAt: it.now() });
  return { it, id };
}
const declines = (it: ReturnType<typeof chat>, id: string) => it.take({ type: 'declined', id, reason: 'user_typing' });

describe('a reload that the page agreed to and declined', () => {
  it('gives its budget back once, says why, and may be done later, under another id', () => {
    verifies('extension.recovery');
    const { it, id } = agreed();
    it.answer('done');
    expect(it.health()).toMatchObject({ phase: 'acted', reloads: 1 });
    expect(declines(it, id).effects).toEqual([]);
    expect(it.health()).toMatchObject({
      phase: 'held',
      hold: 'user_typing',
      reloads: 0,
      reloadedAt: null,
      order: null,
    });
    // Told again, because the answer was lost: nothing more comes back.
    declines(it, id);
    expect(it.health().reloads).toBe(0);
    const later = it.wait(30_000).learn(CUT, AHEAD);
    expect(later.effects).toMatchObject([{ type: 'recover', order: { act: 'reload' } }]);
    const second = it.health().order?.id;
    expect(second).not.toBe(id);
    it.answer('done');
    // The word about the first one is about nothing any more.
    declines(it, id);
    expect(it.health()).toMatchObject({ phase: 'acted', reloads: 1 });
    for (let look = 0; look < 20; look += 1) {
      const { effects } = it.wait(30_000).learn({ ...CUT, loadedMs: 60_000 }, AHEAD, 'd2');
      expect(effects.filter(({ type }) => type !== 'examine')).toEqual([]);
    }
    expect(it.health()).toMatchObject({ phase: 'exhausted', reloads: 1 });
  });

  it('also when its word overtakes the yes; the yes then orders nothing', () => {
    verifies('extension.recovery');
    const { it, id } = agreed();
    declines(it, id);
    expect(it.health()).toMatchObject({ phase: 'held', reloads: 0 });
    it.take({ type: 'answered', id, answer: 'done' });
    expect(it.health()).toMatchObject({ phase: 'held', reloads: 0 });
  });

  it('gives nothing back once another document stands there: then the reload was', () => {
    verifies('extension.recovery');
    const { it, id } = agreed();
    it.answer('done');
    it.wait(20_000).see({ ...CUT, loadedMs: 20_000 }, 'd2');
    declines(it, id);
    expect(it.health().reloads).toBe(1);
  });

  it('gives nothing back for a turn that came since: its budget is its own', () => {
    const { it, id } = agreed();
    it.answer('done');
    it.take({ type: 'turn', id: 'u2', hash: 'h2' });
    declines(it, id);
    expect(it.health()).toMatchObject({ reloads: 0, phase: 'well' });
  });

  it('gives it back for a turn that the page has named since: that is the turn it was for', () => {
    const it = chat();
    expect(it.learn(CUT, AHEAD).effects).toMatchObject([{ type: 'recover' }]);
    const { id = '' } = it.health().order ?? {};
    it.answer('done');
    it.take({ type: 'turn', id: 'u1', hash: 'h1' });
    expect(it.health()).toMatchObject({ reloads: 1, turn: { id: 'u1' } });
    declines(it, id);
    expect(it.health().reloads).toBe(0);
  });

  it('gives the page its first level back, and what a person had pressed', () => {
    verifies('extension.recovery');
    const it = chat({ auto: false });
    for (let look = 0; look < 12 && it.recovery().chats[CHAT]?.phase !== 'offered'; look += 1) it.wait(5_000).see(FULL);
    it.take({ type: 'pressed', tab: 1, document: 'd1' });
    const { id = '' } = it.health().order ?? {};
    expect(it.health().page.level1At).not.toBeNull();
    it.answer('done');
    declines(it, id);
    expect(it.health()).toMatchObject({ phase: 'held', page: { level1At: null }, reloads: 0, reloadedAt: null });
  });

  it('that a person stopped, when the site asked whether to leave: it costs nothing, and is only offered from then on', () => {
    verifies('extension.recovery');
    const { it, id } = agreed();
    it.answer('done');
    it.take({ type: 'declined', id, reason: 'leave_declined' });
    expect(it.health()).toMatchObject({ phase: 'held', hold: 'leave_declined', reloads: 0, reloadedAt: null });
    // Asked by itself again and again, the page would put the same question to the person each time.
    for (let look = 0; look < 20; look += 1) {
      const { effects } = it.wait(30_000).learn(CUT, AHEAD);
      expect(effects.filter(({ type }) => type !== 'examine')).toEqual([]);
    }
    expect(it.health()).toMatchObject({ phase: 'offered', reloads: 0 });
    expect(it.take({ type: 'pressed', tab: 1, document: 'd1' }).effects).toMatchObject([
      { type: 'recover', order: { act: 'reload' } },
    ]);
    // Whoever presses and then stays has lost nothing either.
    const pressed = it.health().order?.id ?? '';
    it.answer('done');
    it.take({ type: 'declined', id: pressed, reason: 'leave_declined' });
    expect(it.health()).toMatchObject({ reloads: 0 });
    // It was said of this turn.
    it.take({ type: 'turn', id: 'u2', hash: 'h2' });
    expect(it.wait(120_000).learn(CUT, AHEAD).effects).toMatchObject([{ type: 'recover', order: { act: 'reload' } }]);
  });

  it('that a person stopped stays theirs also when the trouble goes away for a moment', () => {
    const { it, id } = agreed();
    it.answer('done');
    it.take({ type: 'declined', id, reason: 'leave_declined' });
    it.wait(60_000).see(page());
    expect(it.health().phase).toBe('well');
    expect(
      it
        .wait(60_000)
        .learn(CUT, AHEAD)
        .effects.filter(({ type }) => type !== 'examine'),
    ).toEqual([]);
    expect(it.health().phase).toBe('offered');
  });

  it('that the browser was to do gives back what the browser had to spend, too', () => {
    verifies('extension.recovery');
    const it = chat();
    const troubled = () => it.wait(5_000).see({ ...FULL, loadedMs: 600_000 });
    troubled();
    const until = (done: () => boolean) => {
      for (let look = 0; look < 60 && !done(); look += 1) troubled();
      expect(done()).toBe(true);
    };
    until(() => it.health().order?.act === 'reload');
    it.answer('done');
    it.wait(20_000).see({ ...FULL, loadedMs: 20_000 }, 'd2');
    for (let look = 0; look < 60 && it.health().order?.act !== 'tab'; look += 1)
      it.wait(5_000).see({ ...FULL, loadedMs: 600_000 }, 'd2');
    const id = it.health().order?.id ?? '';
    const before = it.health();
    expect(it.answer('done').effects).toMatchObject([{ type: 'reload_tab' }]);
    expect(it.health().page.level2At).not.toBeNull();
    it.take({ type: 'declined', id, reason: 'leave_declined' });
    expect(it.health()).toMatchObject({
      phase: 'held',
      reloadedAt: before.reloadedAt,
      page: { level1At: before.page.level1At, level2At: null, tabAt: null },
    });
  });
});
