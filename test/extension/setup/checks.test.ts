import { describe, expect, it } from 'vitest';
import { CHECKS, type ConnectionFacts, explain } from '../../../extension/checks.ts';
import type { RuntimeStatus } from '../../../extension/messages.ts';
import { LANGUAGES, say } from '../../../look/words/index.ts';
import { verifies } from '../../verifies.ts';

const HOSTS: readonly RuntimeStatus[] = ['unknown', 'connected', 'offline', 'host_missing', 'host_refused', 'standby'];

const well: ConnectionFacts = {
  host: 'connected',
  runtime: { boot: 'b1', herdr: 'live', workspaces: 2, ms: 7 },
  streamBoot: 'b1',
  access: true,
  extensionId: 'a'.repeat(32),
  pages: { open: 1, answering: 1 },
};
const states = (facts: Partial<ConnectionFacts>) =>
  Object.fromEntries(explain({ ...well, ...facts }).map(({ id, state, why }) => [id, state === 'ok' ? state : why]));

describe('the connection test', () => {
  it('is well when every piece answers', () => {
    verifies('control-center.options');
    expect(explain(well).map(({ id, state }) => [id, state])).toEqual(CHECKS.map((id) => [id, 'ok']));
  });

  it.each([
    [
      'no native host',
      { host: 'host_missing', runtime: null },
      'host',
      'host_missing',
      'herdr-mcp native-host install',
    ],
    [
      'another build',
      { host: 'standby', runtime: null },
      'host',
      'host_other_build',
      `herdr-mcp native-host install --extension ${'a'.repeat(32)}`,
    ],
    [
      'a host that says nothing',
      { host: 'offline', runtime: null },
      'host',
      'host_silent',
      'herdr-mcp native-host status',
    ],
    ['no runtime', { runtime: null }, 'runtime', 'runtime_away', 'herdr-mcp up'],
    [
      'no Herdr',
      { runtime: { boot: 'b1', herdr: 'away', workspaces: 0, ms: 3 } },
      'herdr',
      'herdr_away',
      'herdr-mcp doctor',
    ],
    ['no stream', { streamBoot: null }, 'stream', 'stream_away', null],
    ['a stream of a runtime that is gone', { streamBoot: 'b0' }, 'stream', 'stream_away', null],
    ['a browser that withholds the site', { access: false }, 'access', 'access_withheld', null],
  ] satisfies [string, Partial<ConnectionFacts>, string, string, string | null][])(
    'names %s, and what to do about it',
    (_, facts, id, why, command) => {
      verifies('control-center.options');
      const failed = explain({ ...well, ...facts }).filter(({ state }) => state === 'failed');
      expect(failed.map((one) => [one.id, one.why, one.command])).toEqual([[id, why, command]]);
    },
  );

  it('asks nothing behind a piece that failed, and never calls that a failure', () => {
    expect(states({ host: 'host_missing', runtime: null, streamBoot: null })).toEqual({
      host: 'host_missing',
      runtime: 'skipped',
      herdr: 'skipped',
      stream: 'skipped',
      access: 'ok',
      pages: 'ok',
    });
    expect(states({ access: false })).toMatchObject({ access: 'access_withheld', pages: 'skipped' });
  });

  it('believes the runtime’s answer, not an older word about the host', () => {
    for (const host of HOSTS) expect(states({ host })).toMatchObject({ host: 'ok', runtime: 'ok' });
  });

  it('notes open chats that do not answer, which is no failure', () => {
    expect(explain({ ...well, pages: { open: 3, answering: 1 } }).at(-1)).toMatchObject({
      state: 'note',
      why: 'pages_old',
      values: { count: 2, open: 3 },
    });
    expect(explain({ ...well, pages: { open: 0, answering: 0 } }).at(-1)).toMatchObject({ state: 'note' });
  });

  it('has a sentence for every piece and every reason, in every language, with all values put in', () => {
    verifies('control-center.languages');
    const all = [{}, ...HOSTS.map((host) => ({ host, runtime: null })), { access: false }].flatMap((facts) =>
      explain({ ...well, ...facts, pages: { open: 3, answering: 1 } }),
    );
    for (const language of LANGUAGES) {
      for (const { id, why, values } of all) {
        const text = say(language, 'options', why === 'ok' ? `ok.${id}` : `why.${why}`, values);
        expect(text.length, `${language} ${id} ${why}`).toBeGreaterThan(3);
        expect(text).not.toMatch(/\{\w+\}/);
      }
    }
  });
});
