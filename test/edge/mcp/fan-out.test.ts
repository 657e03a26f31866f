/** A question of continuity that names no workstation, over three of them. */
import { evictAllDurableObjects } from 'cloudflare:test';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Failure } from '../../../contract/outcome.ts';
import { encodeRef } from '../../../contract/refs.ts';
import { FAN_OUT_MS } from '../../../edge/limits.ts';
import { mergeAnswers } from '../../../edge/mcp/fan-out/merge.ts';
import { forgetDevices } from '../../../edge/mcp/index.ts';
import { Workstation } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { Client, Device } from '../auth/harness.ts';
import { FakeLink, type ReceivedCall, toolResult } from '../workstation/fake-link.ts';
import { freshEdge, type Rig } from '../workstation/rig.ts';
import { bodyOf, call } from './client.ts';

type Body = Record<string, unknown>;

let rig: Rig;
let studio: Device;
let laptop: Device;
let tower: Device;
let links: { studio: FakeLink; laptop: FakeLink };
let laptopOnly: string;
let answers: { studio: Body; laptop: Body };

async function another(name: string): Promise<Device> {
  const device = await Device.unpaired();
  const opened = await rig.device.post('/devices/pairings', { name });
  await device.join((await opened.json()) as { pairing_id: string; code: string });
  return device;
}

beforeAll(async () => {
  rig = await freshEdge();
  studio = rig.device;
  laptop = await another('laptop');
  tower = await another('tower');
  laptopOnly = (await (await Client.register()).connect(studio, { device_id: laptop.deviceId })).access_token;
  links = { studio: await FakeLink.connect(studio), laptop: await FakeLink.connect(laptop) };
  for (const name of ['studio', 'laptop'] as const) {
    links[name].onCall = ({ call: envelope }: ReceivedCall) =>
      links[name].answer(envelope.dispatch_id, toolResult(answers[name]));
  }
});

beforeEach(() => {
  answers = { studio: UNKNOWN, laptop: UNKNOWN };
  forgetDevices();
});

const UNKNOWN = {
  ok: false,
  code: 'continuity_not_found',
  message: 'No journal here knows this conversation. Only journaled turns come back.',
  delivery: 'delivered',
  retryable: false,
  next: 'Ask the person.',
};
const chain = (id: string, more: Body = {}): Body => ({
  ok: true,
  continuity_id: id,
  title: `Chain ${id}`,
  status: 'active',
  matched_by: 'conversation',
  updated_at: 1_000,
  ...more,
});
const refusal = (code: string, more: Body = {}): Body => ({ ...UNKNOWN, code, message: `${code}.`, ...more });

const ask = async (method: string, params: Body, more: Body = {}, token = rig.token) =>
  bodyOf(await call('herdr_call', { method, params: JSON.stringify(params), ...more }, { token }));
const resume = (more: Body = {}, token = rig.token) =>
  ask('continuity.resume', { conversation_url: 'https://chatgpt.com/c/1' }, more, token);
const towerIsAway = () => [{ device_id: tower.deviceId, name: 'tower', why: 'workstation_offline' }];

describe.each([
  ['nothing', async () => undefined],
  ['every object', () => evictAllDurableObjects()],
])('continuity without a device, after %s was evicted', (_, evicted) => {
  it('returns the one active chain with its device, and names who was not asked', async () => {
    verifies('edge.continuity-everywhere');
    answers.laptop = chain('hc_1');
    await evicted();
    expect(await resume()).toMatchObject({
      ok: true,
      continuity_id: 'hc_1',
      device_id: laptop.deviceId,
      not_asked: towerIsAway(),
    });
  });

  it('chooses none of two, and names the device of each', async () => {
    verifies('edge.continuity-everywhere');
    answers = { studio: chain('hc_1', { updated_at: 9_000 }), laptop: chain('hc_2') };
    await evicted();
    expect(await resume()).toMatchObject({
      ok: false,
      code: 'continuity_ambiguous',
      candidates: [
        { continuity_id: 'hc_1', device_id: studio.deviceId },
        { continuity_id: 'hc_2', device_id: laptop.deviceId },
      ],
      not_asked: towerIsAway(),
    });
  });
});

describe('continuity without a device', () => {
  it('says that nobody asked knows it, and who may', async () => {
    const body = await resume();
    expect(body).toMatchObject({ code: 'continuity_not_found', not_asked: towerIsAway() });
    expect(body.message).toContain('1 workstation was not asked');
    expect(body.asked).toEqual([studio.deviceId, laptop.deviceId]);
  });

  it('is asked of one workstation alone when the call or the approval names it', async () => {
    answers = { studio: chain('hc_1'), laptop: chain('hc_2') };
    expect(await resume({ device: 'studio' })).toMatchObject({ continuity_id: 'hc_1' });
    expect(await resume({}, laptopOnly)).toMatchObject({ continuity_id: 'hc_2' });
    const ref = encodeRef({ device: laptop.deviceId, workspace: 'w1' });
    const before = links.studio.calls.length;
    await ask('continuity.search', { workspace_id: ref });
    expect(links.studio.calls).toHaveLength(before);
  });

  it('is a read: a write of continuity is still routed, and asks back', async () => {
    const body = await ask('continuity.status.set', { continuity_id: 'hc_1', status: 'closed' });
    expect(body).toMatchObject({ code: 'device_ambiguous' });
  });

  it('names a workstation that is paused, asks it nothing, and one whose way broke', async () => {
    answers.studio = chain('hc_1');
    answers.laptop = refusal('runtime_unavailable');
    expect(await resume()).toMatchObject({
      continuity_id: 'hc_1',
      not_asked: [...towerIsAway(), { device_id: laptop.deviceId, why: 'runtime_unavailable' }],
    });
    await studio.post('/devices/pause', { device_id: laptop.deviceId });
    const before = links.laptop.calls.length;
    expect(await resume()).toMatchObject({
      continuity_id: 'hc_1',
      not_asked: [{ device_id: laptop.deviceId, why: 'device_paused' }, { device_id: tower.deviceId }],
    });
    expect(links.laptop.calls).toHaveLength(before);
    await studio.post('/devices/resume', { device_id: laptop.deviceId });
  });

  it('does not wait for a workstation that never answers longer than it says', async () => {
    answers.studio = chain('hc_1');
    const quiet = links.laptop.onCall;
    links.laptop.onCall = () => undefined;
    const waits: number[] = [];
    const original = Workstation.prototype.call;
    const carried = vi.spyOn(Workstation.prototype, 'call').mockImplementation(function (this: Workstation, input) {
      waits.push(input.deadlineAtMs - Date.now());
      const impatient = input.call.device_id === laptop.deviceId ? Date.now() + 50 : input.deadlineAtMs;
      return original.call(this, { ...input, deadlineAtMs: impatient });
    });
    expect(await resume()).toMatchObject({
      continuity_id: 'hc_1',
      not_asked: [...towerIsAway(), { device_id: laptop.deviceId, why: 'request_timeout' }],
    });
    expect(Math.max(...waits)).toBeLessThanOrEqual(FAN_OUT_MS);
    carried.mockRestore();
    links.laptop.onCall = quiet;
  });

  it('lists the chains of all with their devices', async () => {
    answers.studio = { ok: true, chains: [chain('hc_1', { updated_at: 5 })], next_cursor: 'hcl_1', notice: 'text' };
    answers.laptop = { ok: true, chains: [chain('hc_2', { updated_at: 7 })], next_cursor: null, notice: 'text' };
    expect(await ask('continuity.list', {})).toMatchObject({
      chains: [
        { continuity_id: 'hc_2', device_id: laptop.deviceId },
        { continuity_id: 'hc_1', device_id: studio.deviceId },
      ],
      next_cursors: [{ device_id: studio.deviceId, next_cursor: 'hcl_1' }],
      not_asked: towerIsAway(),
    });
  });
});

describe('what several answers mean together', () => {
  const found = (device_id: string, body: Body) => ({ device_id, name: device_id, ok: true as const, body });
  const said = (device_id: string, failure: Body) => ({
    device_id,
    name: device_id,
    ok: false as const,
    failure: failure as unknown as Failure,
  });
  const several = (reason: string) =>
    refusal('continuity_ambiguous', {
      details: { candidates: [{ continuity_id: 'hc_8', match_reasons: [reason] }], more_candidates: true },
    });
  const closedOwner = refusal('continuity_not_found', { details: { closed: ['hc_9'] } });

  it.each([
    [
      'an owner and a project’s chain elsewhere: the owner',
      [found('a', chain('hc_1')), found('b', chain('hc_2', { matched_by: 'project' }))],
      'hc_1',
    ],
    [
      'an owner and an ambiguous project elsewhere: the owner',
      [found('a', chain('hc_1')), said('b', several('project'))],
      'hc_1',
    ],
    [
      'a closed owner and a project’s chain elsewhere: nobody',
      [said('a', closedOwner), found('b', chain('hc_2', { matched_by: 'project' }))],
      'continuity_not_found',
    ],
    [
      'an owner and two owners elsewhere: none',
      [found('a', chain('hc_1')), said('b', several('conversation'))],
      'continuity_ambiguous',
    ],
    [
      'an active chain and a closed copy of it: the active one',
      [found('a', chain('hc_1')), found('b', chain('hc_1', { status: 'closed' }))],
      'hc_1',
    ],
    [
      'two active copies of one chain: none',
      [found('a', chain('hc_1')), found('b', chain('hc_1'))],
      'continuity_ambiguous',
    ],
    [
      'only a closed chain: that one, to be read',
      [said('a', UNKNOWN), found('b', chain('hc_1', { status: 'closed' }))],
      'hc_1',
    ],
    [
      'a cursor that one workstation made: its answer',
      [found('a', chain('hc_1', { matched_by: 'cursor' })), said('b', refusal('continuity_cursor_invalid'))],
      'hc_1',
    ],
    [
      'the same wrong params everywhere: their refusal',
      [said('a', refusal('conversation_url_unsupported')), said('b', refusal('conversation_url_unsupported'))],
      'conversation_url_unsupported',
    ],
    [
      'nobody could be asked',
      [said('a', refusal('workstation_offline')), said('b', refusal('unknown_local_method'))],
      'workstation_offline',
    ],
  ])('%s', (_, heard, expected) => {
    verifies('edge.continuity-everywhere');
    const merged = mergeAnswers('continuity.resume', heard, []);
    expect(merged.ok ? merged.body['continuity_id'] : merged.failure.code).toBe(expected);
  });

  it.each([
    ['one safe match and nothing elsewhere', [], [], true],
    ['a match of the same identity elsewhere', [{ continuity_id: 'hc_2' }], [], false],
    ['a workstation that was not asked', [], [{ device_id: 'c', name: 'c', why: 'workstation_offline' }], false],
  ])('a search is safe to resume from only alone: %s', (_, elsewhere, silent, safe) => {
    const heard = [
      found('a', { candidates: [{ continuity_id: 'hc_1' }], auto_resume_safe: true }),
      found('b', { candidates: elsewhere, auto_resume_safe: false }),
    ];
    const merged = mergeAnswers('continuity.search', heard, silent);
    expect(merged).toMatchObject({ ok: true, body: { auto_resume_safe: safe } });
  });

  it('stays bounded, and says what was left out', () => {
    const many = (device: string) =>
      found(device, {
        chains: Array.from({ length: 30 }, (_, n) =>
          chain(`hc_${device}${n}`, { title: 'x'.repeat(5_000), updated_at: n }),
        ),
      });
    const merged = mergeAnswers('continuity.list', [many('a'), many('b')], []);
    if (!merged.ok) throw new Error('a list was refused');
    expect(JSON.stringify(merged.body).length).toBeLessThan(100_000);
    const { chains, left_out } = merged.body as { chains: unknown[]; left_out: number };
    expect(chains.length + left_out).toBe(60);
  });
});
