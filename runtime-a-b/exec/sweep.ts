/** Removes sessions that nobody will ask for any more: old ones, and the oldest when they take too much room. */
import { readdir, rm, stat } from 'node:fs/promises';
import { systemCode } from '../../local/error/index.ts';
import { readDone, sessionPath } from './folder.ts';
import { isSessionId } from './ids.ts';
import { SESSION_KEEP_MS, SESSIONS_BYTES_MAX, SESSIONS_MAX } from './limits.ts';
import { everyMarked } from './processes.ts';
import { readState } from './state.ts';

interface Ended {
  id: string;
  endedAtMs: number;
  bytes: number;
}

/** Which of the ended sessions go. Pure. */
export function expired(sessions: readonly Ended[], nowMs: number): string[] {
  const newestFirst = [...sessions].sort((a, b) => b.endedAtMs - a.endedAtMs);
  let bytes = 0;
  return newestFirst
    .filter((session, index) => {
      bytes += session.bytes;
      return nowMs - session.endedAtMs > SESSION_KEEP_MS || index >= SESSIONS_MAX || bytes > SESSIONS_BYTES_MAX;
    })
    .map((session) => session.id);
}

/** Looks through all sessions of all generations. What runs, or left something running, stays. */
export async function sweep(base: string, nowMs: number, isOwn: (id: string) => boolean): Promise<void> {
  const ended: Ended[] = [];
  const alive = everyMarked(); // what ended long ago starts nothing new: a look before the loop is enough
  for (const id of await readdir(base)) {
    if (!isSessionId(id) || isOwn(id)) continue;
    const state = readState(base, id, nowMs);
    if (state?.running === true) continue;
    // Made ahead by a generation that may still use it.
    if (state === undefined && nowMs - (await stat(sessionPath(base, id))).mtimeMs < SESSION_KEEP_MS) continue;
    if (readDone(base, id)?.background === true && alive.has(id)) continue;
    ended.push({ id, endedAtMs: state?.done?.endedAtMs ?? 0, bytes: await sizeOf(sessionPath(base, id)) });
  }
  for (const id of expired(ended, nowMs)) await rm(sessionPath(base, id), { recursive: true, force: true });
}

/** What a session really takes on disk: a dropped middle takes nothing. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) {
    try {
      bytes += (await stat(`${folder}/${name}`)).blocks * 512;
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
  return bytes;
}
