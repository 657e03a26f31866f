import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalError } from '../../../local/error/index.ts';
import { processStartTime } from '../../../local/spawn/index.ts';
import {
  leaseActive,
  openLeases,
  type RuntimeRecord,
  readPointer,
  readRecord,
  removeRecord,
  writePointer,
  writeRecord,
} from '../../../runtime-a-b/generations/index.ts';
import { isServed } from '../../../runtime-a-b/generations/lease.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder } from '../support/index.ts';

let folder: ReturnType<typeof tempFolder>;
let stateDir: string;
beforeEach(() => {
  folder = tempFolder();
  stateDir = folder.path;
});
afterEach(() => folder.remove());

const record = (generation: 'a' | 'b', port: number, more: Partial<RuntimeRecord> = {}): RuntimeRecord => ({
  schema: 1,
  generation,
  boot_id: `boot_${generation}`,
  pid: process.pid,
  process_start: processStartTime(process.pid) ?? '',
  port,
  started_at_ms: 1,
  version: '0.1.0',
  contract_epoch: 5,
  contract_hash: 'sha256:x',
  exec: ['node', 'runtime'],
  ...more,
});
const point = (generation: 'a' | 'b', revision: number) =>
  writePointer(stateDir, { schema: 1, generation, port: 1, revision });

describe('a lease', () => {
  it('is on the generation that the pointer names, and stays there when the pointer moves', async () => {
    await writeRecord(stateDir, record('a', 8001));
    await writeRecord(stateDir, record('b', 8002));
    await point('a', 1);
    const leases = openLeases(stateDir);
    const first = await leases.active();
    await point('b', 2);
    const second = await leases.active();
    expect(first).toMatchObject({ generation: 'a', endpoint: 'http://127.0.0.1:8001', bootId: 'boot_a' });
    expect(second).toMatchObject({ generation: 'b', endpoint: 'http://127.0.0.1:8002', bootId: 'boot_b' });
    expect([leases.held('a'), leases.held('b')]).toEqual([1, 1]);
    first?.release();
    first?.release();
    expect([leases.held('a'), leases.held('b')]).toEqual([0, 1]);
    expect(await leases.named('a')).toMatchObject({ generation: 'a' });
  });

  it('is not given while nothing is active, on a process that is gone, or on a name that is none', async () => {
    expect(await leaseActive(stateDir)).toBeUndefined();
    await point('a', 1);
    expect(await leaseActive(stateDir)).toBeUndefined();
    await writeRecord(stateDir, record('a', 8001, { process_start: 'another life' }));
    expect(await leaseActive(stateDir)).toBeUndefined();
    expect(await openLeases(stateDir).named('c')).toBeUndefined();
  });

  it('on a port is believed only while a living generation says that it serves there', async () => {
    verifies('link.squatter');
    const at = (port: number) => isServed(stateDir, `http://127.0.0.1:${port}`);
    expect(at(8001)).toBe(false);
    await writeRecord(stateDir, record('a', 8001));
    expect([at(8001), at(800), at(18001)]).toEqual([true, false, false]);
    await writeRecord(stateDir, record('a', 8001, { process_start: 'another life' }));
    expect(at(8001)).toBe(false);
    writeFileSync(join(stateDir, 'runtime-a.json'), '{', { mode: 0o600 });
    await writeRecord(stateDir, record('b', 8002));
    expect([at(8001), at(8002)]).toEqual([false, true]);
  });

  it('says which file is broken instead of guessing', async () => {
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(join(stateDir, 'runtime-active.json'), '{"generation":"z"}', { mode: 0o600 });
    await expect(leaseActive(stateDir)).rejects.toThrow(LocalError);
    await expect(readPointer(stateDir)).rejects.toThrow('runtime-active.json');
  });
});

describe('what a generation says about itself', () => {
  it('is taken away by the process that wrote it, never by its predecessor', async () => {
    const old = record('a', 8001, { boot_id: 'boot_old' });
    await writeRecord(stateDir, record('a', 8001));
    await removeRecord(stateDir, old);
    expect(await readRecord(stateDir, 'a')).toMatchObject({ boot_id: 'boot_a' });
    await removeRecord(stateDir, record('a', 8001));
    expect(await readRecord(stateDir, 'a')).toBeUndefined();
  });
});
