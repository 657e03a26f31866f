import { beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { Client, Device } from '../auth/harness.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { bodyOf, call } from './client.ts';

let device: Device;
let token: string;

beforeAll(async () => {
  device = await Device.first();
  ({ access_token: token } = await (await Client.register()).connect(device));
});

it('carries a read through the whole path and splices its answer', async () => {
  verifies('dispatch.at-most-once');
  const link = await FakeLink.connect(device);
  const answering = call('herdr_fs_read', { path: '/home/me/a.txt' }, { token });
  const { call: envelope, args } = await link.nextCall();
  expect(args).toEqual({ path: '/home/me/a.txt' });
  expect(envelope).toMatchObject({
    tool: 'herdr_fs_read',
    class: 'read',
    device_id: device.deviceId,
    contract_epoch: 5,
  });
  link.answer(envelope.dispatch_id, toolResult({ ok: true, text: 'hello' }));
  const answer = await answering;
  expect(answer.status).toBe(200);
  expect(bodyOf(answer)).toEqual({ ok: true, text: 'hello' });
  expect(answer.message.result?._meta).toMatchObject({
    herdr: { dispatch_id: envelope.dispatch_id, delivery: 'delivered' },
  });
  await link.cut();
});
