/**
 * Our surfaces as somebody meets them who hears the page, works it by keyboard, wants no motion, or reads a language whose
 * words are longer. One Chromium, no runtime: the states are the stage's.
 */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type Look, type Own, openStage, type Shown, type Stage } from '../stage/index.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.end());

const look = (change: Partial<Look> = {}): Look => ({ language: 'en', scheme: 'light', width: 420, ...change });

/** What axe finds below `within`, as short sentences. */
async function problems(page: Page, within = 'html'): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (root) => {
    const { run } = Reflect.get(globalThis, 'axe') as typeof axe;
    const { violations } = await run({ include: [root] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  }, within);
}

describe('an accessibility check finds nothing', () => {
  it.each([
    ['options', 'offline', 'dark', 'ja'],
    ['options', 'idle', 'light', 'en'],
    ['options', 'gone', 'light', 'en'],
    ['first-run', 'host_missing', 'light', 'zh'],
    ['first-run', 'unbound', 'dark', 'en'],
    ['first-run', 'uncertain', 'light', 'en'],
    ['sidepanel', 'empty', 'dark', 'zh'],
    ['sidepanel', 'working', 'light', 'en'],
    ['sidepanel', 'working', 'dark', 'ja'],
  ] satisfies [Own, Shown, Look['scheme'], Look['language']][])(
    'in %s, %s, %s, %s',
    async (own, state, scheme, language) => {
      verifies('control-center.access');
      const page = await stage.show(own, state, look({ scheme, language }));
      if (state === 'offline') {
        await page.locator('[aria-labelledby="connection"] button').first().click();
        await page.locator('[data-check="pages"]').waitFor();
      }
      expect(await problems(page)).toEqual([]);
      await page.close();
    },
  );

  it.each(['light', 'dark'] as const)('in the bar, %s', async (scheme) => {
    verifies('control-center.access');
    const page = await stage.bar('settled', look({ scheme, width: 1000 }));
    expect(await problems(page, '[data-herdr="bar"]')).toEqual([]);
    await page.close();
  });

  it('and would find something', async () => {
    const page = await stage.show('options', 'idle', look());
    await page.evaluate(() => {
      const bad = document.createElement('button');
      bad.style.color = '#ccc';
      document.querySelector('main')?.append(bad);
    });
    expect((await problems(page)).join()).toContain('button-name');
    await page.close();
  });
});

/** Each thing that Tab reaches, in order: its name, and whether it is seen that it is reached. */
async function tabbed(page: Page): Promise<{ what: string; seen: boolean }[]> {
  const reached: { what: string; seen: boolean }[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const now = await page.evaluate(() => {
      const one = document.activeElement;
      if (!(one instanceof HTMLElement) || one === document.body || one.dataset['reached'] !== undefined) return null;
      one.dataset['reached'] = '';
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return { what: one.id || (one.textContent ?? ''), seen: outlineStyle !== 'none' && outlineWidth !== '0px' };
    });
    if (now === null) return reached;
    reached.push(now);
  }
}

describe('the keyboard alone', () => {
  it.each([
    ['options', 'idle', 'form'],
    ['first-run', 'unbound', '#chat'],
    ['sidepanel', 'working', '[role="switch"]'],
  ] satisfies [Own, Shown, string][])(
    'reaches every control of %s, and it is seen where it is',
    async (own, state, last) => {
      verifies('control-center.access');
      const page = await stage.show(own, state, look());
      await page.locator(last).first().waitFor(); // what comes with an answer of its own, behind the first picture
      const reached = await tabbed(page);
      expect(reached.filter(({ seen }) => !seen)).toEqual([]);
      expect(reached.length).toBeGreaterThan(2);
      const left = await page
        .locator(':is(button, a[href], input, select, textarea, summary):not([tabindex="-1"], [data-reached])')
        .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 120)));
      expect(left).toEqual([]);
      await page.close();
    },
  );

  it('binds a chat in the first steps', async () => {
    const page = await stage.show('first-run', 'unbound', look());
    await page.locator('#chat').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#workspace').inputValue()).toBe('w2');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Bind');
    await page.keyboard.press('Enter');
    await page.locator('[data-step="2"][data-state="done"]').getByText('website').waitFor();
    await page.close();
  });
});

/**
 * Every text twice as long and without a place to break: what a language does to a page that was drawn in English. Returns
 * what then sticks out of the window or is cut off without a way to read it.
 */
function stretched(page: Page, within: 'page' | 'bar'): Promise<string[]> {
  return page.evaluate((where) => {
    const host = document.querySelector('[data-herdr="bar"]');
    const root = where === 'bar' ? host?.shadowRoot : document.body;
    if (!root) throw new Error('nothing is shown');
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const parent = text.parentElement;
      if (parent === null || /^(style|script)$/i.test(parent.tagName) || (text.nodeValue ?? '').trim() === '') continue;
      text.nodeValue = (text.nodeValue ?? '')
        .replace(/[A-Za-z]/g, (letter) => `${letter}\u0301${letter}`)
        .replace(/ /g, '_');
    }
    const out: string[] = [];
    for (const one of root.querySelectorAll<HTMLElement>('*')) {
      if (!one.checkVisibility() || one.matches('.heard, .heard *, svg *, style, option')) continue;
      const { right, left, width } = one.getBoundingClientRect();
      const { overflowX, textOverflow } = getComputedStyle(one);
      const scrolls = overflowX === 'auto' || overflowX === 'scroll' || one.matches('textarea, select, input');
      // The newest line of a pane is shown as far as there is room; the pane's own reading shows all of it.
      const shortened = textOverflow === 'ellipsis' && (one.title !== '' || one.matches('.last'));
      const readable = scrolls || shortened;
      const cut = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && !readable;
      if (width > 0 && (right > innerWidth + 1 || left < -1 || cut))
        out.push(`${one.tagName} ${one.className}: ${(one.textContent ?? '').slice(0, 60)}`);
    }
    return out.slice(0, 10);
  }, within);
}

describe('texts never overflow', () => {
  it.each([
    ['options', 'offline', 320],
    ['first-run', 'standby', 320],
    ['first-run', 'unbound', 320],
    ['sidepanel', 'working', 320],
    ['sidepanel', 'crowded', 360],
  ] satisfies [Own, Shown, number][])(
    'in %s, %s, at %i px with every text twice as long',
    async (own, state, width) => {
      verifies('control-center.access');
      const page = await stage.show(own, state, look({ width }));
      if (own === 'options') await page.locator('summary').first().click();
      expect(await stretched(page, 'page')).toEqual([]);
      await page.close();
    },
  );

  it.each([360, 1000])('in the bar at %i px', async (width) => {
    verifies('control-center.access');
    const page = await stage.bar('uncertain', look({ width }));
    expect(await stretched(page, 'bar')).toEqual([]);
    await page.close();
  });
});

describe('motion', () => {
  it('is none for who wants none', async () => {
    verifies('control-center.access');
    const page = await stage.show('options', 'loading', look());
    const moving = () => page.evaluate(() => document.getAnimations().length);
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moving()).toBeGreaterThan(0);
    await page.close();
  });
});

describe('a site that is switched on in the Options', () => {
  it('is asked for in that moment, alone; stays off when the browser says no; is given back when it is switched off', async () => {
    verifies('control-center.options');
    const page = await stage.show('options', 'idle', look());
    // What stands between us and a person's press is the browser's own prompt, which no test can press.
    await page.evaluate(() => {
      const log: string[] = [];
      let allowed: string[] = [];
      Object.assign(globalThis, { log, decision: { yes: false } });
      Object.assign(chrome.permissions, {
        request: async ({ origins }: { origins: string[] }) => {
          log.push(`request ${origins.join()}`);
          const yes = (Reflect.get(globalThis, 'decision') as { yes: boolean }).yes;
          if (yes) allowed.push(...origins);
          return yes;
        },
        remove: async ({ origins }: { origins: string[] }) => {
          log.push(`remove ${origins.join()}`);
          allowed = allowed.filter((one) => !origins.includes(one));
          return true;
        },
        contains: async ({ origins }: { origins: string[] }) => origins.every((one) => allowed.includes(one)),
      });
    });
    const log = () => page.evaluate(() => Reflect.get(globalThis, 'log') as string[]);
    const gemini = page.getByRole('checkbox', { name: 'Gemini' });
    await gemini.click();
    await page.getByText('The browser did not allow gemini.google.com').waitFor();
    expect(await gemini.isChecked()).toBe(false);
    await page.evaluate(() => Object.assign(Reflect.get(globalThis, 'decision'), { yes: true }));
    await gemini.click();
    await page.getByText('On. The browser allows gemini.google.com').waitFor();
    expect(await gemini.isChecked()).toBe(true);
    await gemini.click();
    await page.locator('#site-gemini', { hasText: 'Off.' }).waitFor();
    const origin = 'https://gemini.google.com/*';
    expect(await log()).toEqual([`request ${origin}`, `request ${origin}`, `remove ${origin}`]);
    await page.close();
  });
});

describe('what is typed into the Options', () => {
  it('is kept while something else is set, is shown as it will be sent, and is saved alone', async () => {
    verifies('control-center.options');
    const page = await stage.show('options', 'idle', look());
    await page.locator('#settledTemplate').fill('{workspace} is over: {endedd}');
    await page.getByText('This name is not replaced: {endedd}').waitFor();
    await page.getByText('Nothing of what happened is in this text').waitFor();
    await page.locator('#settledTemplate').fill('{workspace} is over: {ended}');
    await page.locator('#progressTickSec').fill('5');
    await page.locator('#progressTickSec').blur();
    expect(await page.locator('[data-preview="settled"]').textContent()).toBe(
      'parser (w1) is over: - builder (w1:p1): done',
    );
    await page.getByText('There are changes that are not saved.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.locator('#settledTemplate').inputValue()).toBe('{workspace} is over: {ended}');
    // Chrome runs an alarm at most every 30 s: what is set is what then stands there.
    expect(await page.locator('#progressTickSec').inputValue()).toBe('30');
    await page.close();
  });
});
