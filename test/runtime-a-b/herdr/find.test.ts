import { describe, expect, it } from 'vitest';
import { OutcomeError } from '../../../contract/outcome.ts';
import { encodeRef } from '../../../contract/refs.ts';
import { findAgent, findPane, findWorkspace } from '../../../runtime-a-b/herdr/index.ts';
import { agent, DEVICE, pane, view, workspace } from '../support/index.ts';

const picture = view({
  workspaces: [
    workspace('w1', { label: 'shop' }),
    workspace('w2', { label: 'twin' }),
    workspace('w3', { label: 'twin' }),
  ],
  panes: [pane('w1:p1'), pane('w1:p2'), pane('w2:p1')],
  agents: [agent('w1:p2', { name: 'builder' }), agent('w2:p1', { agent: 'codex' })],
});

const codeOf = (act: () => unknown): [string, string] => {
  try {
    act();
  } catch (error) {
    if (error instanceof OutcomeError) return [error.code, error.delivery];
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('which workspace is meant', () => {
  it.each([
    ['w1', 'w1'],
    ['shop', 'w1'],
    ['embedded/w2', 'w2'],
    [encodeRef({ device: DEVICE, workspace: 'embedded/w3' }), 'w3'],
    [encodeRef({ device: DEVICE, pane: 'embedded/w1:p2' }), 'w1'],
  ])('%s is %s', (text, id) => {
    expect(findWorkspace(picture, text, DEVICE).workspace_id).toBe(id);
  });

  it.each([
    ['nothing', 'workspace_not_found'],
    ['twin', 'workspace_not_found'],
    ['h0123456789ab/w1', 'device_ref_conflict'],
    [encodeRef({ device: 'dev_OTHER', workspace: 'embedded/w1' }), 'device_ref_conflict'],
    ['herdr_ref_###', 'invalid_params'],
  ])('%s is refused with %s, and nothing was run', (text, code) => {
    expect(codeOf(() => findWorkspace(picture, text, DEVICE))).toEqual([code, 'not_delivered']);
  });

  it('says why nothing is known instead of calling a workspace missing', () => {
    const unknown = view({
      state: 'unknown',
      server: undefined,
      problem: { code: 'socket_missing', message: 'there is no socket' },
    });
    expect(codeOf(() => findWorkspace(unknown, 'w1', DEVICE))).toEqual(['herdr_unavailable', 'not_delivered']);
    const old = view({ state: 'unknown', problem: { code: 'herdr_too_old', message: 'Herdr 0.6 is too old' } });
    expect(codeOf(() => findAgent(old, 'builder', DEVICE))).toEqual(['herdr_too_old', 'not_delivered']);
  });
});

describe('which agent is meant', () => {
  it.each([
    ['builder', 'w1:p2'],
    ['w2:p1', 'w2:p1'],
    [encodeRef({ device: DEVICE, pane: 'embedded/w2:p1' }), 'w2:p1'],
  ])('%s is in %s', (text, id) => {
    expect(findAgent(picture, text, DEVICE).pane_id).toBe(id);
  });

  it.each([
    ['w1:p1', 'is a pane without an agent'],
    ['codex', 'is a kind of agent, not the name of one'],
    ['nobody', 'is neither'],
  ])('%s is refused: it %s', (text, why) => {
    expect(() => findAgent(picture, text, DEVICE)).toThrow(why);
    expect(codeOf(() => findAgent(picture, text, DEVICE))[0]).toBe('agent_not_found');
  });

  it('chooses none of several', () => {
    const twins = view({ agents: [agent('w1:p1', { name: 'x' }), agent('w1:p2', { name: 'x' })] });
    expect(codeOf(() => findAgent(twins, 'x', DEVICE))[0]).toBe('agent_target_ambiguous');
  });

  it('refuses a workspace ref where a pane is needed', () => {
    expect(codeOf(() => findAgent(picture, encodeRef({ device: DEVICE, workspace: 'embedded/w1' }), DEVICE))[0]).toBe(
      'invalid_params',
    );
    expect(findPane(picture, 'w9:p9', DEVICE)).toBeUndefined();
  });
});
