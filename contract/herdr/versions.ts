/**
 * How much of a Herdr we can use. `protocol` is an ordinal that moves for other reasons too and did not move with every
 * change of the JSON API, so the version decides where it can be read and the protocol only where it cannot. Source:
 * reference/herdr-protocol.md 8.1.
 */
export type HerdrSupport = 'full' | 'read_only' | 'too_old';

type Version = readonly [major: number, minor: number, patch: number];

const FULL: Version = [0, 7, 5];
const READ_ONLY: Version = [0, 7, 2];
const FULL_PROTOCOL = 17;
const READ_ONLY_PROTOCOL = 16;

/** The three numbers of `0.8.0`, `0.8.0-preview.12` or `0.8.0-embedded.1`; undefined where there are none. */
export function herdrVersion(version: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+]|$)/.exec(version);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

const atLeast = (version: Version, floor: Version): boolean => {
  for (let i = 0; i < floor.length; i++) {
    const difference = (version[i] ?? 0) - (floor[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
};

/** Full from 0.7.5 (it has `agent.prompt`), read-only from 0.7.2 (it has `session.snapshot`), too old below. */
export function herdrSupport(pong: { version: string; protocol: number }): HerdrSupport {
  const version = herdrVersion(pong.version);
  if (version) {
    if (atLeast(version, FULL)) return 'full';
    return atLeast(version, READ_ONLY) ? 'read_only' : 'too_old';
  }
  if (pong.protocol >= FULL_PROTOCOL) return 'full';
  return pong.protocol >= READ_ONLY_PROTOCOL ? 'read_only' : 'too_old';
}

/** Whether this server calls itself an embedded stand-in (ours) rather than a real Herdr. */
export function isEmbeddedHerdr(pong: { version: string }): boolean {
  return /^\d+\.\d+\.\d+-embedded\./.test(pong.version);
}
