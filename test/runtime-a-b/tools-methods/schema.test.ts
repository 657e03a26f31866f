import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HERDR_METHODS, METHOD_PARAMS } from '../../../contract/herdr/index.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { checkParams, cutWait, parseParams } from '../../../runtime-a-b/tools/methods/params.ts';
import { ownSchemas, readSchemaDocument, unknownParams } from '../../../runtime-a-b/tools/methods/schema.ts';
import { verifies } from '../../verifies.ts';

const document: unknown = JSON.parse(
  readFileSync(new URL('../../embedded-herdr/fixtures/herdr-api.schema.json', import.meta.url), 'utf8'),
);
const theirs = readSchemaDocument(document) ?? new Map();
const ours = ownSchemas();

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof OutcomeError) return error.code;
    throw error;
  }
  return 'fine';
};

describe('Herdr’s own schema document', () => {
  it('gives every method with its parameters in place, references and recursion included', () => {
    verifies('runtime.methods');
    expect(theirs.size).toBe(91);
    expect(JSON.stringify([...theirs.values()])).not.toContain('$ref');
    expect([...theirs.keys()].filter((name) => !HERDR_METHODS.includes(name))).toEqual([]);
    expect(JSON.stringify(theirs.get('layout.apply')).length).toBeGreaterThan(300);
  });

  it.each([undefined, null, 5, {}, { schemas: {} }, { schemas: { request: { oneOf: [] } } }])(
    'is not seen in %j',
    (value) => {
      expect(readSchemaDocument(value)).toBeUndefined();
    },
  );

  it('agrees with ours about which parameters each modelled method has', () => {
    for (const name of Object.keys(METHOD_PARAMS)) {
      const names = (schema: unknown) =>
        Object.keys((schema as { properties?: object } | undefined)?.properties ?? {}).sort();
      if (name === 'events.wait') continue; // Herdr's own entry lists kinds that it does not serve
      expect([name, names(ours.get(name))]).toEqual([name, names(theirs.get(name))]);
    }
  });
});

describe('parameters', () => {
  it.each([
    ['', 'fine'],
    ['{}', 'fine'],
    ['{"a":1}', 'fine'],
    ['{', 'invalid_params_json'],
    ['nonsense', 'invalid_params_json'],
    ['[1]', 'invalid_params'],
    ['"x"', 'invalid_params'],
    ['null', 'invalid_params'],
    ['7', 'invalid_params'],
  ])('%j parse: %s', (text, expected) => {
    expect(codeOf(() => parseParams(text))).toBe(expected);
  });

  const table: [string, Record<string, unknown>, string][] = [
    ['pane.split', { direction: 'down' }, 'fine'],
    ['pane.split', { direction: 'down', target_pane_id: null }, 'fine'],
    ['pane.split', {}, 'invalid_params'],
    ['pane.split', { direction: 'sideways' }, 'invalid_params'],
    ['pane.split', { direction: 'down', targt_pane_id: 'w1:p1' }, 'invalid_params'],
    ['pane.close', { pane_id: 5 }, 'invalid_params'],
    ['agent.prompt', { target: 'a', text: 't', wait: { until: ['idle'], timout_ms: 5 } }, 'invalid_params'],
    ['workspace.create', { env: { ANY: 'name' }, cwd: '/x' }, 'fine'],
    ['workspace.create', { env: { ANY: 5 } }, 'invalid_params'],
  ];
  it.each(table.flatMap((row) => [[...row, 'ours'] as const, [...row, 'theirs'] as const]))(
    'of the write %s %j are %s by %s schema',
    (method, params, expected, whose) => {
      verifies('runtime.methods');
      const schema = (whose === 'ours' ? ours : theirs).get(method) ?? {};
      expect(codeOf(() => checkParams(method, schema, params, 'write'))).toBe(expected);
    },
  );

  it('of a read may be unknown, which is only told', () => {
    expect(checkParams('pane.get', ours.get('pane.get') ?? {}, { pane_id: 'w1:p1', colour: 'red' }, 'read')).toEqual([
      'colour',
    ]);
    expect(codeOf(() => checkParams('pane.get', ours.get('pane.get') ?? {}, { colour: 'red' }, 'read'))).toBe(
      'invalid_params',
    );
  });

  it('never lets a misspelt name of a write through, wherever it stands at the top', () => {
    verifies('runtime.methods');
    const methods = Object.keys(METHOD_PARAMS);
    fc.assert(
      fc.property(fc.constantFrom(...methods), fc.stringMatching(/^zz[a-z_]{1,10}$/), (method, name) => {
        const schema = ours.get(method) ?? {};
        expect(unknownParams(schema, { [name]: 1 })).toEqual([name]);
        expect(codeOf(() => checkParams(method, schema, { [name]: 1 }, 'write'))).toBe('invalid_params');
      }),
    );
  });
});

describe('waits', () => {
  it.each<[string, Record<string, unknown>, number, number | undefined]>([
    ['agent.wait', {}, 60_000, 25_000],
    ['agent.wait', { timeout_ms: 600_000 }, 60_000, 40_000],
    ['pane.wait_for_output', { timeout_ms: 5_000 }, 60_000, 5_000],
    ['pane.wait_for_output', { timeout_ms: 30_000 }, 9_000, 9_000],
    ['agent.wait', { timeout_ms: 30_000 }, -5, 1],
    ['agent.get', { timeout_ms: 30_000 }, 9_000, undefined],
  ])('%s %j with %i ms left: %s', (method, params, left, expected) => {
    expect(cutWait(method, params, left)?.effectiveMs).toBe(expected);
  });
});
