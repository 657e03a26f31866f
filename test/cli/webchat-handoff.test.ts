import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, socketOf } from '../runtime-a-b/http/extension/client.ts';
import { verifies } from '../verifies.ts';
import { SOURCE } from './webchat-browser.ts';
import { browser, CHAIN, rt, webchat } from './webchat-desk.ts';

describe('herdr-mcp webchat handoff', { timeout: 60_000 }, () => {
  const handoff = (...more: string[]) => webchat(['handoff', CHAIN, '--source-url', SOURCE, ...more]);
  const prepared = async (...more: string[]) => {
    const answer = (await handoff('--prepare-only', '--json', ...more)).json() as unknown as {
      handoff: { handoff_id: string; message: string };
      manual_delivery: { copy_prompt: string };
    };
    expect(answer.manual_delivery.copy_prompt).toBe(answer.handoff.message);
    return answer.handoff;
  };

  it('prepares without sending anything', async () => {
    const { message } = await prepared();
    expect((await handoff('--prepare-only')).stdout).toBe(`${message}\n`);
    expect(browser.commands).toEqual([]);
  });

  it.each([
    ['refused', { command_accepted: false, refused: 'user_typing' } as const, true],
    ['in doubt', { command_accepted: null, reason: 'page_gone' } as const, false],
  ])('a delivery that was %s decides whether the message may be pasted', async (name, seen, mayPaste) => {
    verifies('bridge.local-agents');
    browser.see = () => ({ observed_generation: browser.generation, ...seen });
    const objective = ['--objective', `Go on (${name})`];
    const failed = await handoff(...objective);
    const { message } = browser.commands[0] ?? {};
    expect(failed.code).toBe(1);
    expect(failed.stdout).toBe(mayPaste ? `${message}\n` : '');
    const told = (await handoff(...objective, '--json')).json();
    expect(JSON.stringify(told).includes('copy_prompt":')).toBe(mayPaste);
    expect(told).toMatchObject({ automatic_delivery: { attempted: true, completed: false } });
    if (!mayPaste) expect(failed.stderr).toMatch(/may have been sent.*\n.*dispatch-status bd_/);
  });

  it('delivers what was prepared, byte for byte, once for one handoff', async () => {
    verifies('bridge.local-agents', 'extension.handoff');
    const { handoff_id, message } = await prepared();
    const done = await handoff();
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^br_[0-9a-f]{64}\n$/) });
    expect(done.stderr).toContain(handoff_id);
    const again = (await handoff('--json')).json();
    expect(again).toMatchObject({
      automatic_delivery: { attempted: true, completed: true, delivery_state: 'applied', replayed: true },
    });
    expect(browser.commands).toMatchObject([{ operation: 'session.create', message, source_url: SOURCE }]);
  });

  it('what was handed over is known by its key also after consent was taken back: no second chat by hand', async () => {
    verifies('bridge.local-agents');
    await browser.consent(false);
    const again = await handoff();
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^br_/) });
    await browser.consent(true);
    expect(browser.commands).toEqual([]);
  });

  it('where nothing was carried out at all, the prepared message may be pasted', async () => {
    verifies('bridge.local-agents');
    const { message } = await prepared('--objective', 'without consent');
    await browser.consent(false);
    const refused = await handoff('--objective', 'without consent');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('webchat_control_not_allowed') });
    expect(refused.stdout).toBe(`${message}\n`);
    await browser.consent(true);
  });

  it('an answer that was lost may stand for a message that was sent: nothing is offered to paste', async () => {
    verifies('bridge.local-agents');
    const stateDir = mkdtempSync(join(tmpdir(), 'hw-'));
    // It passes everything on, except that the answer to the delivery itself never comes back.
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const asked = await ask(socketOf(rt.stateDir), request.url ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      if (body.includes('browser_session.create') || body.includes('browser_dispatch.submit')) request.socket.destroy();
      else response.end(JSON.stringify(asked.body));
    });
    await new Promise<void>((resolve) => server.listen(socketOf(stateDir), resolve));
    const lost = await webchat(['handoff', CHAIN, '--source-url', SOURCE, '--objective', 'lost', '--key', 'k-lost'], {
      stateDir,
    });
    expect(lost).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--key k-lost') });
    const sent = await webchat(['send', browser.session, 'lost too', '--key', 'k-lost-2'], { stateDir });
    expect(sent).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--key k-lost-2') });
    // The key finds what happened.
    const found = await webchat([
      'handoff',
      CHAIN,
      '--source-url',
      SOURCE,
      '--objective',
      'lost',
      '--key',
      'k-lost',
      '--json',
    ]);
    expect(found.json()).toMatchObject({ automatic_delivery: { completed: true, replayed: true } });
    expect(browser.commands).toHaveLength(2);
    await new Promise((resolve) => server.close(resolve));
    rmSync(stateDir, { recursive: true });
  });
});
