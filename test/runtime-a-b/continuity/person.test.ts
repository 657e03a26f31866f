import { expect, it } from 'vitest';
import { assertPerson } from '../../../runtime-a-b/journal/person.ts';

it.each([
  ['local', 'loopback', true],
  ['local', 'extension', false],
  ['connector', 'conn_1', false],
  ['connector', 'loopback', false],
  ['automation', 'auto_1', false],
] as const)('%s %s is a person at the workstation: %s', (kind, id, person) => {
  const context = { principal: { kind, id, label: '' } };
  const act = () => assertPerson(context, 'Files are written');
  if (person) expect(act).not.toThrow();
  else expect(act).toThrowError(expect.objectContaining({ code: 'local_person_required', delivery: 'not_delivered' }));
});
