import { expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { testRuntime } from '../support/index.ts';

it('the guide says what is true of the workstation now, and of a Herdr that cannot be asked that it cannot', async () => {
  verifies('runtime.skill');
  const rt = await testRuntime();
  const { json } = await rt.call('herdr_skill', { refresh: true });
  expect(json).toMatchObject({
    ok: true,
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    status: { generation: 'a', boot_id: rt.runtime.record.boot_id, readonly: false, herdr: { state: 'unknown' } },
    native_reference: { included: false },
  });
  expect(Buffer.byteLength(String(json.content))).toBe(json.bytes);
  await rt.end();
});
