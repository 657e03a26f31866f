/** Session ids: they name the generation and the boot that started the command. Pure. */

/** `es_<generation>_<boot>_<time and chance>`; safe as a folder name. */
export function sessionId(generation: string, bootId: string, nowMs: number, random: string): string {
  return `${sessionPrefix(generation, bootId)}${nowMs.toString(16)}${random}`;
}

/** How the ids of all commands begin that one boot started. */
export function sessionPrefix(generation: string, bootId: string): string {
  return `es_${generation}_${bootId.replace(/[^A-Za-z0-9]/g, '').slice(-12)}_`;
}

const PATTERN = /^es_([a-z0-9-]+)_([A-Za-z0-9]*)_([0-9a-f]+)$/;

/** Whether text has the form of an id; only such text ever becomes part of a path. */
export function isSessionId(text: string): boolean {
  return text.length <= 128 && PATTERN.test(text);
}

/** Orders ids by the time in them, newest first. */
export function newestFirst(a: string, b: string): number {
  const time = (id: string) => PATTERN.exec(id)?.[3] ?? '';
  return time(a) < time(b) ? 1 : -1;
}
