/** The last gate, a real `herdr_inspect`: which failures of a candidate are nobody's fault, and which hold it up. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { RUNTIME_EPOCHS } from '../../../contract/epochs/index.ts';
import type { Revision } from '../../../runtime-a-b/generations/index.ts';
import { runGates } from '../../../runtime-a-b/generations/supervisor/gates.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder } from '../support/index.ts';

const { epoch, hash, tools } = RUNTIME_EPOCHS[5];

/** What a runtime's `herdr_inspect` says: well, a code, words that are no answer of a tool, or nothing at all. */
type Says = { ok: true } | { ok: false; code?: string } | 'no JSON' | 'hangs up';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function runtime(says: Says): Promise<number> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece.toString();
    });
    request.on('end', () => {
      const answer = (value: unknown) => {
        response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
        response.end(JSON.stringify(value));
      };
      if (request.url === '/health') return answer({ ok: true, boot_id: 'boot_1', version: '1.0.0' });
      if ((JSON.parse(body) as { method: string }).method === 'tools/list') return answer({ result: { tools } });
      if (says === 'hangs up') return void response.destroy();
      const text = says === 'no JSON' ? 'It is well.' : JSON.stringify(says);
      answer({ result: { content: [{ type: 'text', text }] } });
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function inspected(candidate: Says, active: Says | undefined): Promise<boolean | undefined> {
  const folder = tempFolder();
  try {
    const revision: Revision = {
      ...{ schema: 1, revision: 'r', version: '1.0.0', contract_epoch: epoch, contract_hash: hash },
      ...{ state: { knows: 1, oldest_reader: 1 }, content: 'c', source: '/', staged_at_ms: 0 },
    };
    const activePort = active === undefined ? undefined : await runtime(active);
    const question = { stateDir: join(folder.path), revision, port: await runtime(candidate), activePort };
    return (await runGates(question)).gates.find(({ gate }) => gate === 'inspect')?.ok;
  } finally {
    folder.remove();
  }
}

const failing = (code: string) => ({ ok: false, code }) as const;
const well = { ok: true } as const;

describe('the inspect gate', () => {
  it.each<[string, Says, Says | undefined, boolean]>([
    ['both are well', well, well, true],
    ['only the candidate is well', well, failing('internal_error'), true],
    ['neither has a Herdr', failing('herdr_unavailable'), failing('herdr_unavailable'), true],
    ['the Herdr is too old for both', failing('herdr_too_old'), failing('herdr_too_old'), true],
    ['the workstation is paused', failing('paused'), failing('paused'), true],
    ['only the candidate has no Herdr', failing('herdr_unavailable'), well, false],
    ['each has another reason', failing('herdr_unavailable'), failing('paused'), false],
    ['nobody serves beside it', failing('herdr_unavailable'), undefined, false],
    ['both break inside', failing('internal_error'), failing('internal_error'), false],
    ['both do not know the tool', failing('unknown_tool'), failing('unknown_tool'), false],
    [
      'both have lost their database',
      failing('continuity_store_unavailable'),
      failing('continuity_store_unavailable'),
      false,
    ],
    ['both fail without a code', { ok: false }, { ok: false }, false],
    ['both answer no JSON', 'no JSON', 'no JSON', false],
    ['both hang up', 'hangs up', 'hangs up', false],
  ])('when %s', async (_, candidate, active, passes) => {
    verifies('ab.generations');
    expect(await inspected(candidate, active)).toBe(passes);
  });
});
