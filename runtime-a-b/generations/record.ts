/** Writing what a generation says about itself. */
import { rm } from 'node:fs/promises';
import { writeAtomic } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { type RuntimeRecord, readRecord } from './lease.ts';

/** Written last when a process becomes ready: whoever reads it may call. */
export async function writeRecord(stateDir: string, record: RuntimeRecord): Promise<void> {
  await writeAtomic(statePaths(stateDir).runtimeGeneration[record.generation], `${JSON.stringify(record)}\n`);
}

/** Taken away when that process stops; a successor's record stays. */
export async function removeRecord(stateDir: string, record: RuntimeRecord): Promise<void> {
  const now = await readRecord(stateDir, record.generation);
  if (now?.boot_id === record.boot_id)
    await rm(statePaths(stateDir).runtimeGeneration[record.generation], { force: true });
}
