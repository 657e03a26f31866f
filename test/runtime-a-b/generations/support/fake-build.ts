/**
 * A folder of built programs that answers as a real one does and starts in a moment: for tests that start a workstation
 * many times. What the supervisor asks of a program is all here; the whole product is tested in test/e2e/.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CURRENT_RUNTIME } from '../../../../contract/epochs/index.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

export interface FakeBuild {
  version: string;
  /** Contract that it says to speak; the current one when absent. */
  contract?: { epoch: number; hash: string };
  state?: { knows: number; oldest_reader: number };
  /** What it does wrong. */
  fault?:
    | 'does not start'
    | 'says another version'
    | 'lists other tools'
    | 'fails herdr_inspect'
    /** Well until the pointer names it, then its inspect fails. */
    | 'fails when active'
    /** The same, and its process ends. */
    | 'ends when active'
    /** When the pointer names it, its health is not answered: two times, or ever again. */
    | 'misses two answers when active'
    | 'answers nothing when active';
}

/** Writes the programs. */
export function fakeBuild(folder: string, build: FakeBuild): string {
  mkdirSync(folder, { recursive: true });
  const { hash, epoch } = build.contract ?? CURRENT_RUNTIME;
  const description = {
    version: build.version,
    contract_epoch: epoch,
    contract_hash: hash,
    state: build.state ?? { knows: 3, oldest_reader: 1 },
  };
  const url = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, path)).href);
  const head = `import { processStartTime } from ${url('local/spawn/process.ts')};
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSocket } from 'node:net';
import { join } from 'node:path';
const arg = (name) => process.argv[process.argv.indexOf(name) + 1];
const start = processStartTime(process.pid);
const say = (file, value) => { writeFileSync(file + '.new', JSON.stringify(value), { mode: 0o600 }); renameSync(file + '.new', file); };
const seen = (file) => { try { return JSON.parse(readFileSync(file, 'utf8')); } catch { return undefined; } };
`;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('package.json', '{"type":"module"}');
  write('native.json', '[]');
  write('runtime.js', head + runtime(description, build.fault ?? ''));
  write('herdr-link.js', head + LINK);
  write('embedded-herdr.js', head + HERDR);
  write('herdr-mcp.js', '');
  return folder;
}

const runtime = (description: object, fault: string) => `
const description = ${JSON.stringify(description)};
const fault = ${JSON.stringify(fault)};
const stateDir = arg('--state-dir');
if (process.argv.includes('--describe')) { console.log(JSON.stringify(description)); process.exit(); }
if (process.argv.includes('--migrate')) { console.log(JSON.stringify({ from: 3, to: 3, oldest_reader: 1 })); process.exit(); }
if (fault === 'does not start') { console.error('This build does not start.'); process.exit(1); }
const { tools } = JSON.parse(readFileSync(${JSON.stringify(join(ROOT, 'contract/epochs/runtime-5.json'))}, 'utf8'));
const generation = arg('--generation');
const boot_id = 'boot_' + process.pid;
const isActive = () => seen(join(stateDir, 'runtime-active.json'))?.generation === generation;
const version = fault === 'says another version' ? '9.9.9' : description.version;
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
function result({ method }) {
  if (method === 'tools/list') return { tools: fault === 'lists other tools' ? tools.slice(1) : tools };
  const bad = fault === 'fails herdr_inspect' || (fault === 'fails when active' && isActive());
  return text(bad ? { ok: false, code: 'internal_error' } : { ok: true });
}
if (fault === 'ends when active') setInterval(() => isActive() && process.exit(3), 5);
const answers = {
  '/health': () => ({ ok: true, boot_id, version, generation }),
  '/running': () => seen(join(stateDir, 'fake-running-' + generation + '.json')) ?? { calls: [], sessions: [], agents: [] },
};
const misses = { 'misses two answers when active': 2, 'answers nothing when active': Infinity }[fault] ?? 0;
let missed = 0;
const server = createServer((request, response) => {
  if (request.url === '/health' && missed < misses && isActive()) { missed += 1; response.destroy(); return; }
  let body = '';
  request.on('data', (piece) => { body += piece; });
  request.on('end', () => {
    const answer = request.url === '/mcp' ? { jsonrpc: '2.0', id: 1, result: result(JSON.parse(body)) } : answers[request.url]?.();
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(answer ?? {}));
  });
});
const record = join(stateDir, 'runtime-' + generation + '.json');
server.listen(Number(arg('--port')), '127.0.0.1', () => {
  const { port } = server.address();
  say(record, { schema: 1, generation, boot_id, pid: process.pid, process_start: start, port, started_at_ms: Date.now(), version,
    contract_epoch: description.contract_epoch, contract_hash: description.contract_hash, exec: [] });
});
process.on('SIGTERM', () => {
  if (seen(record)?.boot_id === boot_id) rmSync(record);
  process.exit();
});
`;

const LINK = `
const status = join(arg('--state-dir'), 'link-status.json');
const { state, why } = seen(join(arg('--state-dir'), 'fake-link.json')) ?? { state: 'connected', why: 'a test says so' };
say(status, { pid: process.pid, state, why });
if (state === 'revoked') process.exit(3);
setInterval(() => undefined, 1000);
process.on('SIGTERM', () => process.exit());
`;

const HERDR = `
const server = createSocket((socket) => {
  let said = '';
  socket.setEncoding('utf8').on('error', () => undefined).on('data', (piece) => {
    said += piece;
    if (!said.includes('\\n')) return;
    const { id } = JSON.parse(said);
    socket.end(JSON.stringify({ id, result: { type: 'pong', version: '0.8.0', protocol: 19 } }) + '\\n');
  });
});
rmSync(arg('--socket'), { force: true });
server.listen(arg('--socket'));
process.on('SIGTERM', () => { server.close(); process.exit(); });
`;
