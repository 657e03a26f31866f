import * as pty from '@lydell/node-pty';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { COMMAND, type FakeEdge, fakeEdge } from './fake-edge.ts';
import { CONNECTOR, listed, request } from './sign-ins.ts';

let edge: FakeEdge;
afterEach(() => edge.close());

const approved = { body: { ok: true, connector: CONNECTOR } };
const wrong = {
  status: 403,
  body: { ok: false, code: 'invalid_code', message: 'That code is wrong.', next: 'Try again.', retryable: true },
};

/** `herdr-mcp connector approve` at a real terminal. */
function atTerminal() {
  const terminal = pty.spawn(process.execPath, [COMMAND, 'connector', 'approve'], {
    cols: 120,
    rows: 30,
    env: { PATH: process.env['PATH'] ?? '', HERDR_MCP_STATE_DIR: edge.stateDir, HERDR_MCP_SECRETS: 'file' },
  });
  let shown = '';
  terminal.onData((text) => {
    shown += text;
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    ended,
    shown: () => shown,
    type: (text: string) => terminal.write(text),
    /** Waits until the text was shown so many times; the test's own time limit is the only bound. */
    until: async (text: string, times = 1) => {
      while (shown.split(text).length - 1 < times) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}

describe('approving at a terminal', () => {
  it('shows who asks, asks for the code, asks again after a wrong one, and is done after the right one', async () => {
    verifies('cli.connector');
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed(request(1));
    edge.answers['POST /connectors/approve'] = [wrong, approved];
    const terminal = atTerminal();
    await terminal.until('Code on the sign-in page: ');
    expect(terminal.shown()).toContain('ai.example');
    terminal.type('111111\r');
    await terminal.until('That code is wrong. Try again.');
    await terminal.until('Code on the sign-in page: ', 2);
    terminal.type('222222\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toContain('Approved: Some AI may read, write and run commands.');
    expect(edge.asked.slice(1).map(({ body }) => (body as { code: string }).code)).toEqual(['111111', '222222']);
  });

  it('lets a person choose among several', async () => {
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed(request(1), request(2));
    edge.answers['POST /connectors/approve'] = approved;
    const terminal = atTerminal();
    await terminal.until('Which request (its id)? ');
    terminal.type('req_0000000000000002\r');
    await terminal.until('Code on the sign-in page: ');
    terminal.type('333333\r');
    expect(await terminal.ended).toBe(0);
    expect(edge.asked.at(-1)?.body).toMatchObject({ request_id: 'req_0000000000000002', code: '333333' });
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['the end of input', '\u0004'],
  ])('is given up by %s, and nothing is sent', async (_, key) => {
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed(request(1));
    const terminal = atTerminal();
    await terminal.until('Code on the sign-in page: ');
    terminal.type(key);
    expect(await terminal.ended).toBe(130);
    expect(terminal.shown()).toContain('nothing was sent');
    expect(edge.asked).toHaveLength(1);
  });
});
