import fc from 'fast-check';
import type * as Type from 'typebox';
import * as Value from 'typebox/value';
import { expect, it } from 'vitest';
import { CallEnvelope, ResultEnvelope } from '../../../contract/call.ts';
import { isPlainCall, isPlainResult } from '../../../contract/link/plain.ts';
import { verifies } from '../../verifies.ts';

const id = `d_${'0'.repeat(32)}`;
const call = {
  dispatch_id: id,
  tool: 'herdr_fs_read',
  class: 'read',
  device_id: 'dev_1',
  principal: { kind: 'connector', id: 'conn_1', label: 'Host', read_only: true },
  caller_session: 's',
  contract_epoch: 5,
  deadline_ms: 44_000,
  traceparent: 't',
};
const result = {
  dispatch_id: id,
  delivery: 'delivered',
  ok: true,
  code: 'x',
  size: 3,
  runtime_ms: 0.5,
  replayed: true,
};

/** Anything that a hostile or a newer peer may put into a field, with values around each bound. */
const odd = fc.oneof(
  fc.constantFrom(undefined, null, '', 0, 1, -1, 0.5, 2 ** 53, Number.MAX_VALUE, true, [], {}, id, `${id}0`, 'd_x'),
  fc.constantFrom(...[64, 65, 128, 129, 256, 257].map((length) => 'x'.repeat(length))),
  fc.jsonValue(),
);

it.each([
  ['call', CallEnvelope, isPlainCall, call],
  ['result', ResultEnvelope, isPlainResult, result],
] as const)(
  'the fast yes for a %s says yes to a whole one, and never where its schema says no',
  (_, schema, isPlain, whole) => {
    verifies('link.malformed');
    expect(isPlain(whole)).toBe(true);
    const paths = Object.entries(whole).flatMap(([name, value]) =>
      typeof value === 'object' ? [[name], ...Object.keys(value).map((inner) => [name, inner])] : [[name]],
    );
    fc.assert(
      fc.property(fc.constantFrom(...paths), odd, fc.boolean(), (path, value, absent) => {
        const changed = structuredClone(whole) as Record<string, unknown>;
        const place = path.length === 1 ? changed : (changed[path[0] as string] as Record<string, unknown>);
        const last = path.at(-1) as string;
        if (absent) delete place[last];
        else place[last] = value;
        if (isPlain(changed))
          expect(Value.Check(schema as Type.TSchema, JSON.parse(JSON.stringify(changed)))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  },
);
