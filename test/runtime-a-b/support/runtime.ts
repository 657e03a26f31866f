/** A whole runtime in this process, called over its real port as the link calls it. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallEnvelope, ResultEnvelope } from '../../../contract/call.ts';
import { packHead, unpackResult } from '../../../contract/link/index.ts';
import { startRuntime } from '../../../runtime-a-b/runtime.ts';
import type { Runtime } from '../../../runtime-a-b/stoppable.ts';
import { envelopeFor, silent } from './envelope.ts';

/** A folder with its real path, gone after the test file. */
export function tempFolder(name = 'hm-rt-'): { path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), name)));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Called {
  envelope: ResultEnvelope;
  /** The JSON of the first text block. */
  json: Record<string, unknown>;
  result: { content: { type: string; text: string }[]; isError: boolean };
}

export interface TestRuntime {
  runtime: Runtime;
  stateDir: string;
  url: string;
  token: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  call(tool: string, args?: Record<string, unknown>, more?: Partial<CallEnvelope>): Promise<Called>;
  /** Stops it and removes its folder. */
  end(): Promise<void>;
}

export interface TestRuntimeOptions {
  herdrSocket?: string;
  stateDir?: string;
  generation?: 'a' | 'b';
  env?: Record<string, string>;
}

export async function testRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const folder = options.stateDir === undefined ? tempFolder() : undefined;
  const stateDir = options.stateDir ?? join(folder?.path ?? '', 'state');
  const runtime = await startRuntime(
    {
      port: 0,
      generation: options.generation ?? 'a',
      stateDir,
      herdrSocket: options.herdrSocket ?? join(stateDir, 'no-herdr.sock'),
    },
    { env: { ...process.env, ...options.env }, log: silent },
  );
  const token = readFileSync(join(stateDir, 'runtime-token'), 'utf8').trim();
  const url = `http://127.0.0.1:${runtime.record.port}`;
  const send = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  return {
    runtime,
    stateDir,
    url,
    token,
    fetch: send,
    call: (tool, args = {}, more = {}) => callOver(send, envelopeFor(tool, args, more), args),
    async end() {
      await runtime.stop();
      folder?.remove();
    },
  };
}

export async function callOver(
  send: (path: string, init?: RequestInit) => Promise<Response>,
  envelope: CallEnvelope,
  args: unknown,
): Promise<Called> {
  const body = Buffer.concat([packHead(envelope), Buffer.from(typeof args === 'string' ? args : JSON.stringify(args))]);
  return readCalled(await send('/call', { method: 'POST', body }));
}

/** A packed result, opened. */
export async function readCalled(response: Response): Promise<Called> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status}: ${Buffer.from(bytes).toString()}`);
  const unpacked = unpackResult(bytes);
  if (!unpacked.ok) throw new Error(unpacked.message);
  const result = JSON.parse(Buffer.from(unpacked.body).toString('utf8')) as Called['result'];
  return { envelope: unpacked.envelope, result, json: JSON.parse(result.content[0]?.text ?? '') as Called['json'] };
}
