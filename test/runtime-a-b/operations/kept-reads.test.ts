import { describe, expect, it } from 'vitest';
import { READ_RESULT_TTL_MS } from '../../../contract/limits.ts';
import { KEPT_READS_BYTES_MAX } from '../../../runtime-a-b/limits.ts';
import type { Finished } from '../../../runtime-a-b/operations/answer.ts';
import { KeptReads } from '../../../runtime-a-b/operations/kept-reads.ts';
import { verifies } from '../../verifies.ts';

const finished = (id: string, size: number): Finished => ({
  envelope: { dispatch_id: id, delivery: 'delivered', ok: true, size },
  body: new Uint8Array(size),
});

describe('results of reads that wait for the link', () => {
  it('take no more room for having been made twice', () => {
    verifies('runtime.call-join');
    const kept = new KeptReads();
    const third = Math.floor(KEPT_READS_BYTES_MAX / 3);
    for (const atMs of [0, READ_RESULT_TTL_MS, 2 * READ_RESULT_TTL_MS]) kept.keep(finished('d_again', third), atMs);
    const nowMs = 2 * READ_RESULT_TTL_MS;
    kept.keep(finished('d_other', third), nowMs);
    kept.keep(finished('d_last', third), nowMs);
    expect(kept.ids(nowMs)).toEqual(['d_again', 'd_other', 'd_last']);
  });
});
