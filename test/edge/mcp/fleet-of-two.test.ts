/** A call on its way to the right one of two workstations, and who may send it. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeRef } from '../../../contract/refs.ts';
import { verifies } from '../../verifies.ts';
import { Client, Device } from '../auth/harness.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { freshEdge, type Rig } from '../workstation/rig.ts';
import { bodyOf, call, rpc } from './client.ts';

let rig: Rig;
let laptop: Device;
let studioLink: FakeLink;
let laptopLink: FakeLink;
let token: string;
let readOnly: string;
let laptopOnly: string;

beforeAll(async () => {
  rig = await freshEdge();
  token = rig.token;
  laptop = await Device.unpaired();
  const opened = await rig.device.post('/devices/pairings', { name: 'laptop' });
  await laptop.join((await opened.json()) as { pairing_id: string; code: string });
  const app = await Client.register();
  readOnly = (await app.again().connect(rig.device, { read_only: true })).access_token;
  laptopOnly = (await app.again().connect(rig.device, { device_id: laptop.deviceId })).access_token;
  studioLink = await FakeLink.connect(rig.device);
  laptopLink = await FakeLink.connect(laptop);
  for (const [name, link] of [
    ['studio', studioLink],
    ['laptop', laptopLink],
  ] as const) {
    link.onCall = ({ call: envelope, args }) =>
      link.answer(envelope.dispatch_id, toolResult({ ok: true, on: name, args }));
  }
});

let sent: { studio: number; laptop: number };
beforeEach(() => {
  sent = { studio: studioLink.calls.length, laptop: laptopLink.calls.length };
});

const newCalls = () => studioLink.calls.length + laptopLink.calls.length - sent.studio - sent.laptop;
const exec = (args: Record<string, unknown>, who = token) =>
  call('herdr_exec', { command: 'ls', ...args }, { token: who });
const workspaceOn = (device: Device) => encodeRef({ device: device.deviceId, workspace: 'w1' });

describe('routing', () => {
  it('goes by name, by id and by ref, and the workstation sees neither', async () => {
    verifies('edge.routing');
    for (const device of ['laptop', laptop.deviceId]) {
      const answer = await exec({ workspace: 'w1', device });
      expect(bodyOf(answer)).toEqual({ ok: true, on: 'laptop', args: { command: 'ls', workspace: 'w1' } });
      expect(answer.message.result?._meta).toMatchObject({ herdr: { device_id: laptop.deviceId } });
    }
    expect(bodyOf(await exec({ workspace: workspaceOn(rig.device) }))).toMatchObject({
      on: 'studio',
      args: { workspace: 'w1' },
    });
    const params = { pane_id: encodeRef({ device: laptop.deviceId, pane: 'w1:p1' }) };
    const read = await call('herdr_call', { method: 'pane.read', params: JSON.stringify(params) }, { token });
    expect(bodyOf(read)).toMatchObject({ on: 'laptop', args: { params: '{"pane_id":"w1:p1"}' } });
  });

  it('asks back when several could be meant, and sends nothing', async () => {
    verifies('edge.routing');
    const answer = await exec({ workspace: 'w1' });
    expect(answer.message.result?.isError).toBe(true);
    expect(bodyOf(answer)).toMatchObject({
      code: 'device_ambiguous',
      delivery: 'not_delivered',
      retryable: false,
      candidates: [
        { device_id: rig.device.deviceId, name: 'studio' },
        { device_id: laptop.deviceId, name: 'laptop' },
      ],
    });
    expect(bodyOf(await exec({ workspace: workspaceOn(laptop), device: 'studio' }))).toMatchObject({
      code: 'device_ref_conflict',
    });
    expect(newCalls()).toBe(0);
  });

  it('holds a paused device back and lets it go again', async () => {
    verifies('edge.routing', 'fleet.device-lifecycle');
    await rig.device.post('/devices/pause', { device_id: laptop.deviceId });
    // A list may be remembered for some seconds; whoever asks for the devices sees them as they are.
    await call('herdr_devices', {}, { token });
    expect(bodyOf(await exec({ workspace: 'w1', device: 'laptop' }))).toMatchObject({ code: 'device_paused' });
    expect(bodyOf(await exec({ workspace: 'w1' }))).toMatchObject({ on: 'studio' });
    await rig.device.post('/devices/resume', { device_id: laptop.deviceId });
    expect(bodyOf(await exec({ workspace: 'w1', device: 'laptop' }))).toMatchObject({ on: 'laptop' });
  });
});

describe('an approval', () => {
  it('for reading only refuses every write before it is sent', async () => {
    verifies('edge.routing');
    expect(bodyOf(await call('herdr_fs_read', { path: '/a', device: 'studio' }, { token: readOnly }))).toMatchObject({
      ok: true,
    });
    const listed = await call('herdr_call', { method: 'workspace.list', device: 'studio' }, { token: readOnly });
    expect(bodyOf(listed)).toMatchObject({ ok: true });
    expect(studioLink.calls.at(-1)?.call).toMatchObject({ class: 'read', principal: { read_only: true } });
    const count = studioLink.calls.length;
    for (const [tool, args] of [
      ['herdr_exec', { workspace: 'w1', command: 'ls' }],
      ['herdr_fs_write', { path: '/a', content: '' }],
      ['herdr_call', { method: 'workspace.close' }],
      ['herdr_call', { method: 'nobody.knows' }],
    ] as const) {
      const answer = await call(tool, { ...args, device: 'studio' }, { token: readOnly });
      expect(bodyOf(answer)).toMatchObject({ code: 'connector_read_only', delivery: 'not_delivered' });
    }
    expect(studioLink.calls.length).toBe(count);
  });

  it('for one device needs no selector and reaches no other', async () => {
    verifies('edge.routing');
    expect(bodyOf(await exec({ workspace: 'w1' }, laptopOnly))).toMatchObject({ on: 'laptop' });
    for (const args of [{ workspace: 'w1', device: 'studio' }, { workspace: workspaceOn(rig.device) }]) {
      const answer = await exec(args, laptopOnly);
      expect(bodyOf(answer)).toMatchObject({ code: 'device_not_allowed' });
      expect(answer.text).not.toContain(rig.device.deviceId);
    }
    const listed = bodyOf(await call('herdr_devices', {}, { token: laptopOnly }));
    expect(listed.devices).toMatchObject([{ name: 'laptop' }]);
    expect(sent.studio).toBe(studioLink.calls.length);
  });

  it('never administers: such methods name the command instead', async () => {
    verifies('edge.routing');
    for (const method of [
      'herdr_mcp.device.pair',
      'herdr_mcp.device.revoke',
      'herdr_mcp.connector.approve',
      'herdr_mcp.connector.revoke',
      'herdr_mcp.automation.list',
      'herdr_mcp.automation.revoke',
    ]) {
      const body = bodyOf(await call('herdr_call', { method, params: '{}' }, { token }));
      expect(body).toMatchObject({ code: 'fleet_admin_required', delivery: 'not_delivered' });
      expect(body.next).toContain('herdr-mcp ');
    }
    expect(newCalls()).toBe(0);
  });
});

describe('herdr_devices', () => {
  it('lists what can be reached with its three axes, each from who knows it', async () => {
    verifies('edge.devices-tool');
    const body = bodyOf(await call('herdr_devices', {}, { token }));
    expect(body).toMatchObject({
      ok: true,
      devices: [
        {
          name: 'studio',
          device_id: rig.device.deviceId,
          authorization: 'active',
          scheduling: 'enabled',
          connection: 'online',
          health: 'ok',
          contract_epoch: 5,
          runtime_generation: 'a',
          active_calls: 0,
        },
        { name: 'laptop', connection: 'online' },
      ],
    });
    expect(body.observed_at_ms).toBeGreaterThan(0);
    expect(newCalls()).toBe(0);
  });
});

describe('what travels with a call', () => {
  it('is the conversation’s digest, which arguments cannot set, and the mark itself nowhere', async () => {
    verifies('edge.caller-session');
    const mark = 'v1/conversation-7';
    await call('herdr_fs_read', { path: '/a', device: 'studio' }, { token, meta: { 'openai/session': mark } });
    const first = studioLink.calls.at(-1)?.call;
    expect(first?.caller_session).toMatch(/^sha256:/);
    expect(JSON.stringify(studioLink.calls.at(-1))).not.toContain(mark);
    await call(
      'herdr_fs_read',
      { path: '/a', device: 'studio' },
      { token: readOnly, meta: { 'openai/session': mark } },
    );
    expect(studioLink.calls.at(-1)?.call.caller_session).not.toBe(first?.caller_session);
    await call('herdr_fs_read', { path: '/a', device: 'studio' }, { token });
    expect(studioLink.calls.at(-1)?.call).not.toHaveProperty('caller_session');
    const forged = await call('herdr_fs_read', { path: '/a', device: 'studio', caller_session: 'x' }, { token });
    expect(bodyOf(forged)).toMatchObject({ code: 'invalid_params' });
  });

  it('is the caller’s trace, which comes back with the time of each hop', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    for (const options of [{ meta: { traceparent } }, { headers: { traceparent } }]) {
      const answer = await call('herdr_fs_read', { path: '/a', device: 'studio' }, { token, ...options });
      expect(studioLink.calls.at(-1)?.call.traceparent).toBe(traceparent);
      expect(answer.message.result?._meta).toMatchObject({ traceparent, herdr: { hops_ms: { runtime: 1.5 } } });
    }
  });

  it('is params given as an object, as the text that they mean', async () => {
    const answer = await rpc(
      'tools/call',
      { name: 'herdr_call', arguments: { method: 'workspace.list', params: { a: 1 }, device: 'studio' } },
      { token },
    );
    expect(bodyOf(answer)).toMatchObject({ args: { params: '{"a":1}' } });
  });
});
