import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  herdrSupport,
  herdrVersion,
  isAgentName,
  isEmbeddedHerdr,
  KNOWN_AGENTS,
  knownAgent,
  readServerLine,
  requestLine,
  wireEventName,
} from '../../../contract/herdr/index.ts';
import { verifies } from '../../verifies.ts';

describe('the version floor', () => {
  const table: [string, number, string][] = [
    ['0.6.9', 13, 'too_old'],
    ['0.7.1', 15, 'too_old'],
    ['0.7.2', 16, 'read_only'],
    ['0.7.4', 16, 'read_only'],
    ['0.7.5', 17, 'full'],
    ['0.8.0', 19, 'full'],
    ['0.8.0-preview.12', 20, 'full'],
    ['0.8.0-embedded.1', 19, 'full'],
    ['1.0.0', 40, 'full'],
    ['nightly', 17, 'full'],
    ['nightly', 16, 'read_only'],
    ['nightly', 15, 'too_old'],
  ];
  it.each(table)('%s at protocol %i is %s', (version, protocol, support) => {
    verifies('herdr.versions');
    expect(herdrSupport({ version, protocol })).toBe(support);
  });

  it('reads three numbers or none', () => {
    expect(herdrVersion('v0.10.2')).toEqual([0, 10, 2]);
    expect(herdrVersion('0.8')).toBeUndefined();
    expect(isEmbeddedHerdr({ version: '0.8.0-embedded.1' })).toBe(true);
    expect(isEmbeddedHerdr({ version: '0.8.0' })).toBe(false);
  });
});

describe('the agent table', () => {
  it('knows 21 agents by label, executable and alias, without case or suffix', () => {
    expect(KNOWN_AGENTS).toHaveLength(21);
    expect(knownAgent('cursor-agent')?.label).toBe('cursor');
    expect(knownAgent('PI.CMD')?.label).toBe('pi');
    expect(knownAgent('gemini.js')?.label).toBe('gemini');
    expect(knownAgent('antigravity')?.executable).toBe('agy');
    expect(knownAgent('vim')).toBeUndefined();
    expect(knownAgent('constructor')).toBeUndefined();
  });

  it('has names that are unique over all agents', () => {
    const names = KNOWN_AGENTS.flatMap(({ label, executable, aliases }) => [
      ...new Set([label, executable, ...aliases]),
    ]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('takes agent names of one form only', () => {
    expect(['a', 'night-1', 'a_b', `a${'b'.repeat(31)}`].every(isAgentName)).toBe(true);
    expect(['', 'A', '1a', '-a', 'a b', 'ä', `a${'b'.repeat(32)}`].some(isAgentName)).toBe(false);
  });
});

describe('lines', () => {
  it('go out whole, with params even when empty', () => {
    expect(requestLine('1', 'ping', {})).toBe('{"id":"1","method":"ping","params":{}}\n');
  });

  it('come in as a result, an error, an event, or malformed', () => {
    expect(readServerLine('{"id":"1","result":{"type":"ok"}}')).toEqual({
      kind: 'result',
      id: '1',
      result: { type: 'ok' },
    });
    expect(readServerLine('{"id":"","error":{"code":"invalid_request","message":"x"}}')).toMatchObject({
      kind: 'error',
      id: '',
    });
    expect(readServerLine('{"event":"pane_closed","data":{"type":"pane_closed"}}')).toMatchObject({
      kind: 'event',
      event: 'pane_closed',
    });
    for (const text of ['', '[]', 'null', '{}', '{"id":"1","result":{}}', '{"id":"1","error":{}}', '{"id"']) {
      expect(readServerLine(text).kind).toBe('malformed');
    }
  });

  it('are never an exception, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['result', 'error', 'event', 'malformed']).toContain(readServerLine(text).kind);
      }),
    );
  });

  it('name lifecycle events with underscores', () => {
    expect(wireEventName('pane.agent_detected')).toBe('pane_agent_detected');
    expect(wireEventName('workspace.metadata_updated')).toBe('workspace_metadata_updated');
  });
});
