/** docs/requirements.md: each behaviour leads to a promise, a place and a test that cites it; each promise stands there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWED, REQUIREMENTS } from '../requirements.ts';
import { verifies } from '../verifies.ts';
import { type Behaviour, behavioursOf, ROOT, requirementsPage, sectionsOf } from './promises.ts';

const page = requirementsPage();
const behaviours = behavioursOf(page);
const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
  texts.set(file, text);
  return text;
}

/** What is wrong with a row, or null. Whether its test passes, and cites the promise itself, is seen in a whole run. */
function wrong({ says, id, built, test, title }: Behaviour): string | null {
  const at = `"${says}"`;
  if (!Object.hasOwn(REQUIREMENTS, id)) return `${at} belongs to ${id}, which is no promise`;
  if (!existsSync(join(ROOT, built))) return `${at} is built in ${built}, which is not there`;
  if (!existsSync(join(ROOT, test))) return `${at} is shown by ${test}, which is not there`;
  const words = title.split(' > ').at(-1)?.trim() ?? '';
  if (!textOf(test).includes(words)) return `${at}: no test of ${test} is called "${title}"`;
  return textOf(test).includes(`'${id}'`) ? null : `${at}: ${test} does not cite ${id}`;
}

describe('docs/requirements.md', () => {
  it('leads from each behaviour to a promise, a place and a test that cites it', () => {
    verifies('docs.true');
    expect(behaviours.length).toBeGreaterThan(300);
    expect(behaviours.map(wrong).filter((reason) => reason !== null)).toEqual([]);
  });

  it('has a behaviour in each section, and says none twice', () => {
    verifies('docs.true');
    const places = new Set(behaviours.map(({ place }) => place));
    expect(sectionsOf(page).filter((section) => !places.has(section))).toEqual([]);
    const said = behaviours.map(({ place, says }) => `${place}: ${says}`);
    expect(said.filter((one, at) => said.indexOf(one) !== at)).toEqual([]);
  });

  it('refuses a line that is no row, and finds each kind of fault', () => {
    expect(() => behavioursOf('## A\n### B\n| a | b | c | d |')).toThrow('no row of a section');
    const [row] = behavioursOf(
      '## A\n### B\n| a | `docs.true` | [docs](../docs) | [x](../test/docs/requirements.test.ts): leads from |',
    );
    expect(row).toMatchObject({ place: 'A › B', says: 'a', id: 'docs.true', built: 'docs', title: 'leads from' });
    if (row === undefined) throw new Error('no row');
    expect(wrong(row)).toBeNull();
    for (const part of [
      { id: 'no.promise' },
      { built: 'no/place' },
      { test: 'test/no.test.ts' },
      { title: `${'no'} such test` },
      { id: ['main', 'demo'].join('.') },
    ])
      expect(wrong({ ...row, ...part })).not.toBeNull();
  });
});

describe('every promise is measured, attacked and documented', () => {
  it('documented: each id stands on the page, and none is owed', () => {
    verifies('proof.documented');
    const there = new Set(behaviours.map(({ id }) => id));
    const missing = Object.keys(REQUIREMENTS).filter((id) => !there.has(id));
    expect(missing, 'each needs a row on docs/requirements.md').toEqual([]);
    expect(OWED).toEqual({});
  });

  it('measured: each bar of the table has a measurement', () => {
    verifies('proof.documented', 'bench.harness');
    const bars = Array.from({ length: 18 }, (_, at) => `P${at + 1}`);
    expect(bars.filter((id) => !textOf('test/bench/index.ts').includes(`{ id: '${id}', measure: `))).toEqual([]);
  });

  it('attacked: each refusal has a test', () => {
    verifies('proof.documented');
    const attacks = sectionsOf(page).filter((section) => section.startsWith('What is refused › '));
    expect(attacks.length).toBeGreaterThan(4);
    expect(behaviours.filter(({ place }) => place.startsWith('What is refused › ')).length).toBeGreaterThan(25);
  });
});
