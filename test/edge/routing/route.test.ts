import { describe, expect, it } from 'vitest';
import { encodeRef } from '../../../contract/refs.ts';
import { type RoutableDevice, type RouteQuestion, route } from '../../../edge/routing/index.ts';
import { verifies } from '../../verifies.ts';

const device = (name: string, changes: Partial<RoutableDevice> = {}): RoutableDevice => ({
  device_id: `dev_${name}`,
  name,
  authorization: 'active',
  paused: false,
  ...changes,
});

const studio = device('studio');
const laptop = device('laptop');
const paused = device('paused', { paused: true });
const suspended = device('suspended', { authorization: 'suspended' });
const revoked = device('revoked', { authorization: 'revoked' });
const twin = { ...device('twin'), name: 'studio' };

const onLaptop = encodeRef({ device: 'dev_laptop', workspace: 'w1' });
const paneOnLaptop = encodeRef({ device: 'dev_laptop', pane: 'w1:p2' });
const onStudio = encodeRef({ device: 'dev_studio', workspace: 'w9' });

type Wish = Partial<RouteQuestion>;
const ask = (wish: Wish) => route({ tool: 'herdr_exec', args: {}, devices: [studio, laptop], ...wish });

describe('the workstation that is meant', () => {
  it.each<[string, Wish, string, string]>([
    ['the id', { args: { device: 'dev_laptop' } }, 'dev_laptop', 'explicit'],
    ['the name', { args: { device: 'laptop' } }, 'dev_laptop', 'explicit'],
    [
      'an id before a name',
      { devices: [{ ...laptop, name: 'dev_studio' }, studio], args: { device: 'dev_studio' } },
      'dev_studio',
      'explicit',
    ],
    ['a workspace ref', { args: { workspace: onLaptop } }, 'dev_laptop', 'ref'],
    ['a pane ref as target', { tool: 'herdr_prompt', args: { target: paneOnLaptop } }, 'dev_laptop', 'ref'],
    [
      'a ref inside params',
      { tool: 'herdr_call', args: { method: 'pane.read', params: JSON.stringify({ pane_id: paneOnLaptop }) } },
      'dev_laptop',
      'ref',
    ],
    ['id and ref that agree', { args: { device: 'laptop', workspace: onLaptop } }, 'dev_laptop', 'explicit'],
    ['the approval', { boundTo: 'dev_laptop' }, 'dev_laptop', 'bound'],
    ['the default by name', { defaultDevice: 'laptop' }, 'dev_laptop', 'default'],
    ['the default by id', { defaultDevice: 'dev_studio' }, 'dev_studio', 'default'],
    [
      'a selector before the default',
      { args: { device: 'studio' }, defaultDevice: 'laptop' },
      'dev_studio',
      'explicit',
    ],
    ['a ref before the default', { args: { workspace: onStudio }, defaultDevice: 'laptop' }, 'dev_studio', 'ref'],
    [
      'the default of the fleet before the deployment’s',
      { devices: [studio, { ...laptop, is_default: true }], defaultDevice: 'studio' },
      'dev_laptop',
      'default',
    ],
    ['the only one', { devices: [laptop] }, 'dev_laptop', 'only'],
    ['the only one that can be routed to', { devices: [laptop, paused, suspended, revoked] }, 'dev_laptop', 'only'],
    ['an empty selector is none', { args: { device: '' }, devices: [laptop] }, 'dev_laptop', 'only'],
    [
      'a name that a revoked one had',
      { devices: [{ ...revoked, name: 'laptop' }, laptop], args: { device: 'laptop' } },
      'dev_laptop',
      'explicit',
    ],
  ])('by %s', (_, wish, deviceId, reason) => {
    verifies('edge.routing');
    expect(ask(wish)).toMatchObject({ ok: true, deviceId, reason });
  });

  it.each<[string, Wish, string]>([
    ['several', {}, 'device_ambiguous'],
    ['several names', { devices: [studio, twin], args: { device: 'studio' } }, 'device_ambiguous'],
    ['nothing paired', { devices: [] }, 'no_device_paired'],
    ['only revoked ones', { devices: [revoked] }, 'no_device_paired'],
    ['only a paused one', { devices: [paused] }, 'device_paused'],
    ['only a suspended one', { devices: [suspended] }, 'device_suspended'],
    ['an unknown name', { args: { device: 'attic' } }, 'device_not_found'],
    ['a paused one by name', { devices: [studio, paused], args: { device: 'paused' } }, 'device_paused'],
    ['a suspended one by id', { devices: [studio, suspended], args: { device: 'dev_suspended' } }, 'device_suspended'],
    ['a revoked one by id', { devices: [studio, revoked], args: { device: 'dev_revoked' } }, 'device_revoked'],
    ['a revoked one by name', { devices: [studio, revoked], args: { device: 'revoked' } }, 'device_not_found'],
    [
      'a ref of a revoked one',
      { devices: [studio, { ...laptop, authorization: 'revoked' }], args: { workspace: onLaptop } },
      'device_revoked',
    ],
    ['a ref of a stranger', { devices: [studio], args: { workspace: onLaptop } }, 'device_not_found'],
    ['a selector against a ref', { args: { device: 'studio', workspace: onLaptop } }, 'device_ref_conflict'],
    ['refs of two', { args: { workspace: onStudio, target: paneOnLaptop } }, 'device_ref_conflict'],
    ['a pane ref as workspace', { args: { workspace: paneOnLaptop } }, 'device_ref_conflict'],
    [
      'a workspace ref as pane',
      { tool: 'herdr_call', args: { method: 'pane.read', params: JSON.stringify({ pane_id: onLaptop }) } },
      'device_ref_conflict',
    ],
    ['a broken ref', { args: { workspace: 'herdr_ref_!!!' } }, 'device_ref_conflict'],
    [
      'another than the approval’s by name',
      { boundTo: 'dev_laptop', args: { device: 'studio' } },
      'device_not_allowed',
    ],
    [
      'another than the approval’s by ref',
      { boundTo: 'dev_laptop', args: { workspace: onStudio } },
      'device_not_allowed',
    ],
    ['an approval whose device is gone', { boundTo: 'dev_gone' }, 'device_not_found'],
    ['an approval whose device is paused', { devices: [studio, paused], boundTo: 'dev_paused' }, 'device_paused'],
    [
      'a method that has to name it',
      { tool: 'herdr_call', devices: [laptop], args: { method: 'herdr_mcp.text.read' } },
      'device_required',
    ],
    [
      'a method that takes no ref',
      {
        tool: 'herdr_call',
        args: { method: 'herdr_mcp.text.write', device: 'laptop', params: JSON.stringify({ target: paneOnLaptop }) },
      },
      'device_ref_conflict',
    ],
    ['a default that is gone', { defaultDevice: 'attic' }, 'device_not_found'],
    [
      'a default of the fleet that is paused, never another one instead',
      { devices: [studio, { ...paused, is_default: true }], defaultDevice: 'studio' },
      'device_paused',
    ],
    ['a default that is paused', { devices: [studio, paused], defaultDevice: 'paused' }, 'device_paused'],
  ])('is not chosen for %s', (_, wish, code) => {
    verifies('edge.routing');
    const answer = ask(wish);
    expect(answer).toMatchObject({ ok: false, code });
    expect(!answer.ok && answer.message).toMatch(/Nothing was sent|nothing was sent/);
    expect(!answer.ok && answer.next.length).toBeGreaterThan(10);
  });

  it('is asked for with candidates, and only those that this caller may reach', () => {
    verifies('edge.routing');
    expect(ask({ devices: [studio, laptop, revoked, paused] })).toMatchObject({
      details: {
        candidates: [
          { device_id: 'dev_studio', name: 'studio' },
          { device_id: 'dev_laptop', name: 'laptop' },
        ],
      },
    });
    const bound = ask({ boundTo: 'dev_laptop', args: { device: 'studio' } });
    expect(bound).toMatchObject({ details: { candidates: [{ device_id: 'dev_laptop' }] } });
    expect(JSON.stringify(bound)).not.toContain('dev_studio');
    expect(ask({ boundTo: 'dev_laptop', args: { device: 'attic' } })).toEqual(bound);
  });
});

describe('the arguments that travel on', () => {
  it.each<[string, Wish, Record<string, unknown>]>([
    ['without the selector', { args: { device: 'laptop', command: 'ls' } }, { command: 'ls' }],
    ['with refs unwrapped', { args: { workspace: onLaptop, command: 'ls' } }, { workspace: 'w1', command: 'ls' }],
    [
      'with a pane as target',
      { tool: 'herdr_prompt', args: { target: paneOnLaptop, text: 'hi' } },
      { target: 'w1:p2', text: 'hi' },
    ],
    [
      'with refs in params unwrapped and the rest of them as it was',
      {
        tool: 'herdr_call',
        args: { method: 'pane.send_text', params: JSON.stringify({ pane_id: paneOnLaptop, text: onLaptop }) },
      },
      { method: 'pane.send_text', params: JSON.stringify({ pane_id: 'w1:p2', text: onLaptop }) },
    ],
    [
      'with params untouched when there is no ref to unwrap',
      { tool: 'herdr_call', devices: [laptop], args: { method: 'x', params: '{ "a" : 1 }' } },
      { method: 'x', params: '{ "a" : 1 }' },
    ],
    [
      'with params untouched when they are no JSON',
      { tool: 'herdr_call', devices: [laptop], args: { method: 'x', params: 'herdr_ref_ {' } },
      { method: 'x', params: 'herdr_ref_ {' },
    ],
    [
      'with ref-like text in other fields untouched',
      { devices: [laptop], args: { command: onStudio } },
      { command: onStudio },
    ],
  ])('go %s', (_, wish, args) => {
    verifies('edge.routing', 'contract.refs');
    const answer = ask(wish);
    expect(answer).toMatchObject({ ok: true });
    expect(answer.ok && answer.args).toEqual(args);
  });
});
