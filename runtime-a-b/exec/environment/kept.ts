/**
 * What is kept of the login environment between two lives of a runtime, and shared by both generations: the last good
 * snapshot, and which start-up files failed last, so that a new generation's first commands do not wait for them again.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readText, writeWhole } from '../folder.ts';
import type { Environment } from './probe.ts';

export interface Snapshot {
  v: 1;
  /** Of the start-up files that made it. */
  mark: string;
  atMs: number;
  tookMs: number;
  environment: Environment;
}

export interface Failure {
  v: 1;
  /** Of the start-up files that failed. */
  mark: string;
  atMs: number;
  reason: string;
}

/** When these start-up files were first run, by whichever generation: commands wait for that once. */
export interface Tried {
  v: 1;
  mark: string;
  atMs: number;
}

const snapshotIn = (folder: string): string => join(folder, 'login-env.json');
const failureIn = (folder: string): string => join(folder, 'login-env-failed.json');

const triedIn = (folder: string): string => join(folder, 'login-env-tried.json');

/** `undefined` when there is none, or one of another form: it is captured anew. */
export function readSnapshot(folder: string): Snapshot | undefined {
  const kept = readKept<Snapshot>(snapshotIn(folder));
  return typeof kept?.environment === 'object' && kept.environment !== null ? (kept as Snapshot) : undefined;
}

export function readFailure(folder: string): Failure | undefined {
  const kept = readKept<Failure>(failureIn(folder));
  return typeof kept?.atMs === 'number' && typeof kept.reason === 'string' ? (kept as Failure) : undefined;
}

export function readTried(folder: string): Tried | undefined {
  const kept = readKept<Tried>(triedIn(folder));
  return typeof kept?.atMs === 'number' ? (kept as Tried) : undefined;
}

export const keepTried = (folder: string, tried: Tried): void => writeWhole(triedIn(folder), JSON.stringify(tried));

export const keepSnapshot = (folder: string, snapshot: Snapshot): void =>
  writeWhole(snapshotIn(folder), JSON.stringify(snapshot));

/** `undefined` forgets it. */
export function keepFailure(folder: string, failure: Failure | undefined): void {
  if (failure === undefined) rmSync(failureIn(folder), { force: true });
  else writeWhole(failureIn(folder), JSON.stringify(failure));
}

function readKept<Kept extends { v: 1; mark: string }>(file: string): Partial<Kept> | undefined {
  try {
    const parsed: unknown = JSON.parse(readText(file) ?? 'null');
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const kept = parsed as Partial<Kept>;
    return kept.v === 1 && typeof kept.mark === 'string' ? kept : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
