import { describe, expect, it } from 'vitest';
import { entryIn } from '../../contract/json.ts';
import { rulesFor } from '../../embedded-herdr/agents/rules/index.ts';

const OF_EVERY_OBJECT = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

describe('a table that is asked by a name from outside', () => {
  it.each(OF_EVERY_OBJECT)('has no %s', (name) => {
    expect(entryIn({ own: 1 }, name)).toBeUndefined();
    expect(entryIn({ own: 1 }, 'own')).toBe(1);
  });

  it.each(OF_EVERY_OBJECT)('gives an agent that calls itself %s the rules of an agent without its own', (label) => {
    expect(rulesFor(label)).toBe(rulesFor('an agent that nobody knows'));
  });
});
