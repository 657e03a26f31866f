import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Entry, merge } from '../../cli/dispatch/merge.ts';
import { detailLines, entryRows, notReached } from '../../cli/dispatch/words.ts';
import type { DispatchReceipt } from '../../contract/fleet/index.ts';
import { verifies } from '../verifies.ts';
import { type FakeEdge, fakeEdge } from './fake-edge.ts';

const id = (n: number) => `d_${(1_000_000 + n * 60_000).toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
const receipt = (n: number, change: Partial<DispatchReceipt> = {}): DispatchReceipt => ({
  dispatch_id: id(n),
  tool: 'herdr_exec',
  delivery: 'unknown',
  ok: false,
  code: 'interrupted',
  sent_at_ms: n,
  settled_at_ms: n,
  size: null,
  ...change,
});
const row = (n: number): Entry => ({
  dispatch_id: id(n),
  tool: 'herdr_exec',
  state: 'settled',
  delivery: 'delivered',
  call_ok: true,
  principal: 'Some AI',
});

describe('two witnesses of one call', () => {
  it('are one entry, newest first, and the ledger knows better what ran', () => {
    verifies('cli.dispatch');
    const merged = merge(
      [receipt(1), receipt(2), receipt(3, { delivery: null, ok: null, code: null })],
      [row(2), row(4)],
    );
    expect(merged.map(({ dispatch_id }) => dispatch_id)).toEqual([id(4), id(3), id(2), id(1)]);
    expect(merged.map(({ delivery }) => delivery)).toEqual(['delivered', 'unknown', 'delivered', 'unknown']);
    expect(merged[1]).toMatchObject({ state: 'sent' });
  });

  it('are shown with what the delivery means, and control characters of names do nothing', () => {
    const entry = { ...row(1), principal: 'x\u001b[2J' };
    expect(entryRows([entry], 1_120_000)[1]).toEqual([
      id(1),
      'herdr_exec',
      'settled',
      'delivered',
      'ok',
      '1 min',
      'x\u001b[2J',
    ]);
    expect(detailLines(entry, 1_120_000).join('\n')).toContain('delivered: it ran');
    expect(detailLines(entry, 1_120_000).join('\n')).not.toContain('\u001b');
    expect(notReached({ not_reached: { ledger: 'no runtime' } })).toEqual(['Only what the edge saw: no runtime']);
  });
});

describe('herdr-mcp dispatch', () => {
  let edge: FakeEdge;
  beforeEach(async () => {
    edge = await fakeEdge();
  });
  afterEach(() => edge.close());

  it('lists the edge’s receipts while no runtime runs, and says that this is half the truth', async () => {
    verifies('cli.dispatch');
    edge.answers['GET /dispatches?last=3'] = { body: { ok: true, dispatches: [receipt(1)], observed_at_ms: 1 } };
    const { code, out, err } = await edge.cli(['dispatch', 'list', '--last', '3']);
    expect(code).toBe(0);
    expect(out).toContain(id(1));
    expect(err).toContain('Only what the edge saw');
  });

  it('shows one, in JSON too, and says so when it was never received', async () => {
    verifies('cli.dispatch');
    edge.answers[`GET /dispatches?dispatch_id=${id(1)}`] = {
      body: { ok: true, dispatches: [receipt(1)], observed_at_ms: 1 },
    };
    edge.answers[`GET /dispatches?dispatch_id=${id(2)}`] = { body: { ok: true, dispatches: [], observed_at_ms: 1 } };
    const shown = await edge.cli(['dispatch', 'show', id(1), '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({
      dispatches: [{ dispatch_id: id(1), delivery: 'unknown', code: 'interrupted' }],
      not_reached: { ledger: expect.any(String) },
    });
    const missing = await edge.cli(['dispatch', 'show', id(2)]);
    expect(missing.code).toBe(0);
    expect(missing.out).toContain(`No dispatch ${id(2)} was received`);
  });

  it('refuses words that are no id or number, and fails with both reasons when nobody answers', async () => {
    expect((await edge.cli(['dispatch', 'show', 'd_1'])).code).toBe(2);
    expect((await edge.cli(['dispatch', 'list', '--last', '51'])).code).toBe(2);
    await edge.stopServing();
    const { code, err } = await edge.cli(['dispatch', 'list']);
    expect(code).toBe(1);
    expect(err).toContain('Neither the runtime nor the edge could be asked');
  });
});
