/** A write of which nobody knows whether it arrived: what the ledger answers, and what that answer binds it to. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { boots } from '../../../runtime-a-b/state/index.ts';
import { verifies } from '../../verifies.ts';
import { newId, tempFolder } from '../support/index.ts';
import { type Desk, openDesk } from './desk.ts';

let folder: ReturnType<typeof tempFolder>;
let desk: Desk;
let own: string;
beforeEach(() => {
  folder = tempFolder();
  desk = openDesk(folder.path);
  own = desk.state.orm.select().from(boots).all()[0]?.bootId ?? '';
});
afterEach(() => {
  desk.close();
  folder.remove();
});

const write = { path: '/x', content: 'y' };

/** Another process of this state folder, as the ledger remembers it. */
function boot(bootId: string, more: Partial<typeof boots.$inferInsert>): string {
  const row = { bootId, generation: 'b', pid: process.pid, processStart: 'long ago', version: '0', startedAt: 0 };
  desk.state.orm
    .insert(boots)
    .values({ ...row, ...more })
    .run();
  return bootId;
}

describe('a write in doubt', () => {
  it('that never arrived is not delivered, and does not run when it is read after all', async () => {
    verifies('dispatch.at-most-once', 'link.outcome-table');
    const id = newId();
    expect(await desk.dispatcher.settle(id, own)).toMatchObject({
      envelope: { dispatch_id: id, ok: false, code: 'interrupted', delivery: 'not_delivered' },
    });
    const late = await desk.submit('herdr_fs_write', write, { dispatch_id: id });
    expect(late.envelope).toMatchObject({ ok: false, code: 'interrupted', delivery: 'not_delivered' });
    expect(late.json).toMatchObject({ retryable: true });
    expect(desk.ran).toHaveLength(0);
    expect(desk.ledger.find(id)).toBeUndefined();
  });

  it('that ran is given its result', async () => {
    const id = newId();
    await desk.submit('herdr_fs_write', write, { dispatch_id: id });
    for (const asked of [own, 'boot-of-nobody']) {
      expect(await desk.dispatcher.settle(id, asked)).toMatchObject({ envelope: { ok: true, delivery: 'delivered' } });
    }
    expect(desk.ran).toHaveLength(1);
  });

  it('that still runs is waited for', async () => {
    let finish = (): void => {};
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    desk.tool = async () => {
      await gate;
      return { ok: true, body: {} };
    };
    const id = newId();
    const running = desk.submit('herdr_fs_write', write, { dispatch_id: id });
    const settled = desk.dispatcher.settle(id, own);
    finish();
    expect(await settled).toMatchObject({ envelope: { ok: true, delivery: 'delivered' } });
    await running;
  });

  it('that went to a dead process and is in no ledger never ran', async () => {
    const id = newId();
    const dead = boot('boot-dead', { endedAt: 1 });
    expect(await desk.dispatcher.settle(id, dead)).toMatchObject({ envelope: { delivery: 'not_delivered' } });
  });

  it('that went to a process which lives beside us is left to that one', async () => {
    const other = openDesk(folder.path, 'b');
    try {
      const rows = desk.state.orm.select().from(boots).all();
      const living = rows.find(({ bootId }) => bootId !== own)?.bootId ?? '';
      expect(await desk.dispatcher.settle(newId(), living)).toBe('elsewhere');
    } finally {
      other.close();
    }
  });

  it('that went to a process of another machine is nothing that this ledger can speak of', async () => {
    const id = newId();
    expect(await desk.dispatcher.settle(id, 'boot-of-another-machine')).toBe('foreign');
    expect((await desk.submit('herdr_fs_write', write, { dispatch_id: id })).envelope.ok).toBe(true);
  });
});
