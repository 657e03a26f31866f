import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORBIDDEN_INPUTS } from '../../contract/browser/forbidden.ts';
import { until } from '../runtime-a-b/support/index.ts';
import { verifies } from '../verifies.ts';
import { SOURCE } from './webchat-browser.ts';
import { browser, CHAIN, herdr, truth, webchat } from './webchat-desk.ts';

describe('herdr-mcp webchat', { timeout: 60_000 }, () => {
  it('shows browsers, what is allowed there, and the chats that were seen, by refs', async () => {
    verifies('bridge.local-agents');
    const { stdout } = await webchat(['endpoints']);
    expect(stdout).toContain(`browser    ${browser.endpoint} (chromium, extension 1.0.0)`);
    expect(stdout).toContain('allowed    webchat_control (revision 1)');
    expect(stdout).toContain(`site       chatgpt, generation ${browser.generation}: composer.submit`);
    expect((await webchat(['resources'])).stdout).toMatch(
      new RegExp(`${browser.session}\\s+session\\s+Fix the parser`),
    );
    expect((await webchat(['resources', '--kind', 'account', '--json'])).json()).toMatchObject({
      resources: [{ resource_ref: browser.account, kind: 'account' }],
    });
    expect((await webchat(['inspect', browser.session])).stdout).toContain(`address    ${SOURCE}`);
    expect((await webchat(['inspect', SOURCE])).stdout).toContain(browser.session);
    expect((await webchat(['inspect', browser.endpoint])).stdout).toContain('webchat_control');
    expect((await webchat(['resources', '--kind', 'window'])).code).toBe(2);
  });

  it('creates a chat with its first message, once a key, and wakes the agent that did it with a pointer to the answer', async () => {
    verifies('bridge.local-agents');
    const message = 'Review the parser.\n\n  Blank lines matter: "quotes" $HOME 日本語';
    const create = ['create', message, '--source-url', SOURCE, '--key', 'k-create'];
    const made = await webchat(create, { pane: 'w1:p1' });
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^bd_[0-9a-f]{64}\n$/) });
    expect(made.stderr).toContain('session.create: applied');
    const id = made.stdout.trim();
    const again = await webchat([...create, '--json'], { pane: 'w1:p1' });
    expect(again.json()).toMatchObject({ ok: true, dispatch_id: id, replayed: true });
    expect(browser.commands).toMatchObject([{ operation: 'session.create', message, source_url: SOURCE }]);
    expect((await webchat(['result', id])).stderr).toContain('It is not complete (generating)');

    await browser.settle(id, 'Two faults, both in read().');
    const told = await until('the wake', () => herdr.prompts.find(({ text }) => text.includes(id)));
    expect(told.target).toBe('boss');
    expect(told.text).not.toContain('Two faults');
    expect((await webchat(['result', id])).stdout).toBe('Two faults, both in read().\n');
    expect((await webchat(['dispatch-status', id])).stdout).toMatch(/delivery {3}applied\nstate {6}settled\n/);
    expect((await webchat(['inspect', id, '--json'])).json()).toMatchObject({ result: { chars: 27 } });
  });

  it('creates in a named account, sends into a known chat, shows, stops and archives it', async () => {
    verifies('bridge.local-agents');
    const named = ['--endpoint', browser.endpoint, '--account', browser.account];
    expect(await webchat(['create', 'Hello.', ...named])).toMatchObject({ code: 0 });
    expect(await webchat(['send', browser.session, 'And now?'])).toMatchObject({ code: 0 });
    expect(await webchat(['open', browser.session])).toMatchObject({ code: 0 });
    expect(await webchat(['stop', browser.session])).toMatchObject({ code: 0 });
    expect((await webchat(['archive-status', browser.session])).stdout).toBe('unknown\n');
    expect(await webchat(['archive', browser.session])).toMatchObject({ code: 0 });
    expect((await webchat(['archive-status', browser.session])).stdout).toBe('archived\n');
    expect(browser.commands.map(({ operation, session }) => [operation, session?.session_ref ?? null])).toEqual([
      ['session.create', null],
      ['composer.submit', browser.session],
      ['session.open', browser.session],
      ['generation.stop', browser.session],
      ['session.archive', browser.session],
    ]);
  });

  it('archives the chat whose newest user message is given, and no chat for one that is another’s or older', async () => {
    verifies('bridge.archive-self');
    const words = 'Thank you.\n\nArchive this chat.';
    await browser.turn(words);
    const byWords = (text: string, ...more: string[]) => webchat(['archive', '--current-user-message', text, ...more]);
    expect(await byWords('Archive this chat.')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No chat has this as its newest user message'),
    });
    expect(await webchat(['archive'])).toMatchObject({ code: 2 });
    expect(await webchat(['archive', browser.session, '--current-user-message', words])).toMatchObject({ code: 2 });
    expect(await byWords(words, '--generation', '1')).toMatchObject({ code: 2 });
    expect(await byWords('-', '--selector', '#x')).toMatchObject({ code: 2 });
    expect(browser.commands).toEqual([]);
    const done = await byWords(words, '--key', 'k-words');
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('session.archive: applied') });
    expect(browser.commands).toMatchObject([
      { operation: 'session.archive', message: null, session: { session_ref: browser.session } },
    ]);
    await browser.turn('And now?');
    expect((await byWords(words, '--key', 'k-words', '--json')).json()).toMatchObject({
      ok: true,
      replayed: true,
      dispatch_id: done.stdout.trim(),
    });
  });

  it('says what stood in the way, and what nothing proves, and sends neither again', async () => {
    verifies('bridge.local-agents');
    browser.see = () => ({ observed_generation: browser.generation, command_accepted: false, refused: 'user_typing' });
    const rejected = await webchat(['send', browser.session, 'x', '--key', 'k-draft']);
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('rejected (user_typing: ') });
    browser.see = () => ({ observed_generation: browser.generation, command_accepted: null, reason: 'page_gone' });
    const doubt = ['send', browser.session, 'y', '--key', 'k-doubt'];
    const uncertain = await webchat(doubt);
    expect(uncertain).toMatchObject({ code: 1, stderr: expect.stringContaining('composer.submit: uncertain') });
    expect(uncertain.stderr).toContain('Look it up');
    browser.see = truth;
    expect((await webchat([...doubt, '--json'])).json()).toMatchObject({
      ok: false,
      code: 'delivery_uncertain',
      replayed: true,
    });
    expect(browser.commands.map(({ message }) => message)).toEqual(['x', 'y']);
    // What was planned against another look at the browser is not done.
    const old = await webchat(['send', browser.session, 'z', '--generation', '1']);
    expect(old).toMatchObject({ code: 1, stderr: expect.stringContaining('has changed since') });
  });

  it('takes no selector, script, address or credential, in no command and in no place', async () => {
    verifies('bridge.local-agents');
    const commands = [
      ['create', 'x', '--source-url', SOURCE],
      ['send', browser.session, 'x'],
      ['open', browser.session],
      ['archive', browser.session],
      ['stop', browser.session],
      ['handoff', CHAIN, '--source-url', SOURCE],
    ];
    for (const command of commands) {
      for (const name of FORBIDDEN_INPUTS) {
        const refused = await webchat([...command, `--${name.replaceAll('_', '-')}`, 'x']);
        expect([command[0], name, refused.code]).toEqual([command[0], name, 2]);
      }
    }
    for (const target of [SOURCE, '#prompt-textarea', 'javascript:alert(1)', '6789abcd', 'br_short']) {
      for (const [verb = '', , ...rest] of [['send', '', 'x'], ['open'], ['archive'], ['archive-status'], ['stop']]) {
        expect([verb, target, (await webchat([verb, target, ...rest])).code]).toEqual([verb, target, 2]);
      }
    }
    // An address that is no chat's names nothing either.
    expect(await webchat(['create', 'x', '--source-url', 'https://example.com/'])).toMatchObject({ code: 1 });
    expect(browser.commands).toEqual([]);
  });

  it('says in one sentence what it did not do', async () => {
    expect(await webchat(['create', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing was sent'),
    });
    expect(await webchat(['send', browser.session, '  '])).toMatchObject({ code: 2 });
    await browser.consent(false);
    const refused = await webchat(['send', browser.session, 'x']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Side Panel') });
    await browser.consent(true);
    const empty = mkdtempSync(join(tmpdir(), 'hw-'));
    const absent = await webchat(['send', browser.session, 'x'], { stateDir: empty });
    expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining('No runtime is running') });
    rmSync(empty, { recursive: true });
    expect(browser.commands).toEqual([]);
  });

  it('gives and takes a connector’s grant', async () => {
    verifies('bridge.local-agents');
    expect((await webchat(['grant', 'cn_1'])).stdout).toBe('cn_1 may drive web chats\n');
    expect((await webchat(['grant', 'cn_1'])).stdout).toBe('cn_1: nothing to change\n');
    expect((await webchat(['grants'])).stdout).toContain('cn_1  since ');
    expect((await webchat(['revoke', 'cn_1'])).stdout).toBe('cn_1 may no longer drive web chats\n');
    expect((await webchat(['grants'])).stdout).toBe('None.\n');
  });
});
