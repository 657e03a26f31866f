import { describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { SAMPLE_MS } from './limits.ts';
import type { Role } from './processes.ts';
import { renderSoak, type Sample, verdictsOf } from './verdict.ts';

/** An hour of samples; `at` gives what stands at each, by the part of the hour that is over. */
function hour(at: (over: number, n: number) => { pid?: number; role: Role; rssMb?: number; fds?: number }[]): Sample[] {
  const count = 3_600_000 / SAMPLE_MS;
  return Array.from({ length: count }, (_, n) => ({
    atMs: n * SAMPLE_MS,
    seen: at(n / count, n).map((one) => ({ pid: 1, rssMb: 80, fds: 20, threads: 11, ...one })),
    sizes: { 'state.db': n * 100_000 },
  }));
}

const WELL = { calls: 10, failed: [], doubled: [], left: [] };
const broken = (samples: Sample[], told = {}) =>
  verdictsOf(samples, { ...WELL, ...told }).flatMap(({ promise, held, why }) => (held ? [] : [`${promise}: ${why}`]));

describe('the verdict of a soak run', () => {
  it('holds what swings and what fills up at the start, and nothing else that rises', () => {
    verifies('bench.soak');
    const swings = hour((over, n) => [{ role: 'link', rssMb: 60 + 25 * Math.min(1, over * 10) + (n % 9) }]);
    expect(broken(swings)).toEqual([]);
    const rises = hour((over) => [{ role: 'link', rssMb: 80 + 60 * over }]);
    expect(broken(rises)).toEqual([expect.stringMatching(/^memory is flat: link from 102\.\d to 132\.\d$/)]);
    const forked = hour((over, n) => [
      { role: 'link', rssMb: 80 + 60 * over },
      ...(n === 30 ? [{ role: 'link' as const, pid: 2, rssMb: 40 }] : []),
    ]);
    expect(broken(forked)).toEqual(broken(rises));
    const leaks = hour((over) => [{ role: 'edge', fds: 20 + Math.round(20 * over) }]);
    expect(broken(leaks)).toEqual(['no descriptor is left open: edge from 25 to 35']);
    const busier = hour((over, n) => [{ role: 'edge', fds: 20 + (n % 4) * Math.round(20 * over) }]);
    expect(broken(busier)).toEqual([]);
  });

  it('compares one life of a generation with the next, and sees what grows within each', () => {
    verifies('bench.soak');
    const lives = (mb: (life: number, age: number) => number) =>
      hour((over) => {
        const life = Math.floor(over * 6);
        return [{ role: 'runtime', pid: life + 1, rssMb: mb(life, over * 6 - life) }];
      });
    expect(broken(lives((_, age) => 100 + 60 * Math.min(1, age * 4)))).toEqual([]);
    expect(broken(lives((life) => 100 + 10 * life))).toEqual(['memory is flat: runtime from 110 to 150']);
    expect(broken(lives((_, age) => 100 + 90 * age))).toEqual([
      'memory is flat: runtime within a life from 145 to 175',
    ]);
  });

  it('judges a generation while it serves: one that drains beside the next has closed what it served with', () => {
    verifies('bench.soak');
    const served = (fds: (life: number) => number) =>
      hour((over, n) => {
        const life = Math.floor(over * 6);
        const drains = life > 0 && n % 60 < 2 ? [{ role: 'runtime' as const, pid: life, fds: 26 }] : [];
        return [...drains, { role: 'runtime', pid: life + 1, fds: fds(life) }];
      });
    expect(broken(served(() => 39))).toEqual([]);
    expect(broken(served((life) => 39 + 3 * life))).toEqual(['no descriptor is left open: runtime from 42 to 54']);
  });

  it('counts commands that pile up, calls that failed, effects that are doubled and processes that stayed', () => {
    verifies('bench.soak');
    const piles = hour((over) => Array.from({ length: 3 + Math.round(over * 20) }, () => ({ role: 'other' as const })));
    expect(broken(piles)).toEqual(['what callers start does not pile up: from 8 to 18 processes']);
    const told = { failed: ['call 3: no'], doubled: ['"line 4" is there 2 times'], left: ['77 sleep 100000'] };
    expect(
      broken(
        hour(() => []),
        told,
      ),
    ).toEqual([
      'no call of 10 failed: call 3: no',
      'no effect is there twice or missing: "line 4" is there 2 times',
      'no process is left behind: 77 sleep 100000',
    ]);
  });

  it('says of a short run that memory was not judged, and prints what each part weighed', () => {
    const samples = hour((over) => [{ role: 'link', rssMb: 80 + 600 * over }]).slice(0, 12);
    const verdicts = verdictsOf(samples, WELL);
    expect(verdicts.every(({ held }) => held)).toBe(true);
    const page = renderSoak(samples, verdicts);
    expect(page).toMatch(/^link +rssMb +81\.7 /m);
    expect(page).toMatch(/^state\.db +KiB +0 /m);
    expect(page).toContain('held  memory is flat: not judged below 20 minutes');
  });
});
