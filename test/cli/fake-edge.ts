/** A stand-in for the edge's REST, to see what the command sends and how it takes each answer. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDeviceToken } from '../../contract/fleet/index.ts';
import { DEVICE_KEY, generateDeviceKey, writeDevice } from '../../link/identity/index.ts';
import { openSecrets } from '../../local/secrets/index.ts';
import { run } from '../../local/spawn/index.ts';
import { build, DIST } from '../../scripts/build/index.ts';

/** The built command, brought up to date by {@link fakeEdge}. */
export const COMMAND = join(DIST, 'herdr-mcp.js');

export const DEVICE = 'dev_00000000000000000000000000';

export interface Asked {
  method: string;
  path: string;
  body: unknown;
  /** Device id in the bearer, when it carries a well-formed device token. */
  device: string | undefined;
}

/** A command that does ten things on a machine that does a hundred; what hangs is ended by the test's own time. */
const COMMAND_MS_MAX = 110_000;

type Answer = { status?: number; body: unknown; headers?: Record<string, string> };

export interface FakeEdge {
  origin: string;
  stateDir: string;
  asked: Asked[];
  /** `METHOD /path` → answer, or answers one after the other. */
  answers: Record<string, Answer | Answer[]>;
  /** Runs `herdr-mcp` paired with this edge. */
  cli(args: string[], input?: string): Promise<{ code: number | null; out: string; err: string }>;
  stopServing(): Promise<void>;
  close(): Promise<void>;
}

export async function fakeEdge({ paired = true } = {}): Promise<FakeEdge> {
  await build({ parts: ['node'] });
  const asked: Asked[] = [];
  const answers: FakeEdge['answers'] = {};
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const token = parseDeviceToken((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    const text = await bodyOf(request);
    asked.push({
      method: request.method ?? '',
      path,
      body: text === '' ? undefined : request.headers['content-type'] === 'application/json' ? JSON.parse(text) : text,
      device: token?.claims.sub,
    });
    const known = answers[`${request.method} ${path}`];
    const answer = Array.isArray(known) ? known.shift() : known;
    const type = answer?.body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
    response.writeHead(answer?.status ?? (answer ? 200 : 404), { 'content-type': type, ...answer?.headers });
    response.end(answer?.body instanceof Uint8Array ? answer.body : JSON.stringify(answer?.body ?? { ok: false }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const home = mkdtempSync(join(tmpdir(), 'hm-cli-'));
  const stateDir = join(home, 'state');
  if (paired) {
    const secrets = await openSecrets(stateDir, { backend: 'file' });
    await secrets.set(DEVICE_KEY, generateDeviceKey().secretText());
    await writeDevice(stateDir, {
      device_id: DEVICE,
      name: 'desk',
      edge_origin: origin,
      mcp_url: `${origin}/mcp`,
      paired_at_ms: 0,
    });
  }
  const stopServing = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    origin,
    stateDir,
    asked,
    answers,
    cli: async (args, input) => {
      const result = await run(process.execPath, [COMMAND, ...args], {
        env: { PATH: process.env['PATH'], HOME: home, HERDR_MCP_STATE_DIR: stateDir, HERDR_MCP_SECRETS: 'file' },
        timeoutMs: COMMAND_MS_MAX,
        ...(input === undefined ? {} : { input }),
      });
      return { code: result.code, out: result.stdout.toString(), err: result.stderr.toString() };
    },
    stopServing,
    close: async () => {
      await stopServing();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
}
