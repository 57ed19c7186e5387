// A short run of the edit benchmark over files that are here anyway: no wrong edit, ever. `npm run bench -- --edit` is the whole of it.
import { describe, expect, test } from '@jest/globals';
import { applyExactly, applyFirst } from '../../bench/edit/baseline.ts';
import { digestOf } from '../../bench/edit/generate.ts';
import { scoreCases } from '../../bench/edit/judge.ts';
import { MORE_KINDS } from '../../bench/edit/kinds/more-kinds.ts';
import { SHARED_KINDS } from '../../bench/edit/kinds/shared-kinds.ts';
import { applyOurs } from '../../bench/edit/ours.ts';
import { INSTALLED_SETS, moreCases, sharedCases } from '../../bench/edit/sets.ts';
import { showCase } from '../../bench/edit/show-case.ts';

const PER_KIND = 4;
const MIN_SCORE = 94;
/** The kinds beyond hold some that may as well be refused. */
const MIN_SCORE_BEYOND = 80;
const SHOWN = 3;

const sets = INSTALLED_SETS.map((sources) => {
  return { seed: sources.seed, shared: sharedCases(sources, PER_KIND), more: moreCases(sources, PER_KIND) };
});

describe.each(sets)('the edit benchmark, seed $seed', ({ shared, more }) => {
  test.each([
    ['the shared kinds', shared],
    ['the kinds beyond them', more],
  ])('makes no wrong edit in %s', (_name, cases) => {
    const { wrongCases } = scoreCases(applyOurs, cases);
    const names = wrongCases.map(({ one }) => one.id);
    const shown = wrongCases.slice(0, SHOWN).map(({ one, verdict }) => showCase(one, verdict));
    expect([...names, ...shown].join('\n')).toBe('');
  });

  test('applies what it should: refusing everything is no way to be never wrong', () => {
    expect(scoreCases(applyOurs, shared).score).toBeGreaterThanOrEqual(MIN_SCORE);
    expect(scoreCases(applyOurs, more).score).toBeGreaterThanOrEqual(MIN_SCORE_BEYOND);
  });

  test('has cases of every kind', () => {
    const kindsOf = (cases: typeof shared): readonly string[] => [...new Set(cases.map((one) => one.kind))];
    expect(kindsOf(shared)).toEqual(SHARED_KINDS.map(({ name }) => name));
    expect(kindsOf(more)).toEqual(MORE_KINDS.map(({ name }) => name));
  });

  test('sees what plain tools do wrong, and that they are right where old_string is exact', () => {
    const refuses = shared.filter((one) => one.group === 'exact' && one.expect === 'apply');
    expect(scoreCases(applyExactly, refuses)).toMatchObject({ wrong: 0, refused: 0 });
    expect(scoreCases(() => null, shared).wrong).toBe(0);
    expect(scoreCases(applyFirst, shared).wrong).toBeGreaterThan(shared.length / 4);
  });
});

test('cases are the same whenever they are made', () => {
  const again = INSTALLED_SETS.map((sources) => digestOf(sharedCases(sources, PER_KIND)));
  expect(again).toEqual(sets.map(({ shared }) => digestOf(shared)));
});
