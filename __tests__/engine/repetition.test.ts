// When the same call again and again is told to the model, and when it ends the run.
import { describe, expect, test } from '@jest/globals';
import { noRepetition, noteTurn, type RepetitionState } from '../../src/engine/repetition.ts';
import { type Part, textPart } from '../../src/schema/message.ts';
import { createRandom, type Random } from '../tools/random.ts';

type Pair = Parameters<typeof noteTurn>[1][number];

function pair(
  name: string,
  args: object | string,
  output: string | readonly Part[],
  rest: Partial<Pair> & { isError?: boolean } = {},
): Pair {
  const { isError = false, effect = 'read' } = rest;
  return {
    call: { id: `${name}-${Math.random()}`, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    result: { toolCallId: 'any', output: typeof output === 'string' ? [textPart(output)] : output, isError },
    effect: 'effect' in rest ? rest.effect : effect,
  };
}

const read = (path: string, output = `text of ${path}`): Pair => pair('read_file', { path }, output);
const bash = (command: string, output = 'out', isError = false): Pair =>
  pair('bash', { command }, output, { effect: 'execute', isError });
const edit = (from: string, to: string, isError = false): Pair =>
  pair('edit_file', { path: 'a.ts', old_string: from, new_string: to }, `now ${to}`, { effect: 'write', isError });

/** Each letter is a call of its own, the same each time; one turn a word: `ab a` is two calls, then one. */
function letters(text: string): Pair[][] {
  return text.split(' ').map((word) => [...word].map((letter) => read(letter)));
}

/** What each turn led to: `.` nothing, `r` a reminder, `V` the verdict. */
function play(turns: readonly (readonly Pair[])[], maxRepeats = 3): { marks: string; states: RepetitionState[] } {
  const states: RepetitionState[] = [];
  let state = noRepetition;
  for (const pairs of turns) {
    state = noteTurn(state, pairs, maxRepeats);
    states.push(state);
  }
  return {
    marks: states.map((one) => (one.verdict !== undefined ? 'V' : one.reminder === undefined ? '.' : 'r')).join(''),
    states,
  };
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

describe('G6-01 the same call with the same result', () => {
  test.each([
    ['once and twice is nothing', 'a a', '..'],
    ['the third time is told, the second one after that is the end', 'a a a a a', '..r.V'],
    ['a verdict stays', 'a a a a a b c', '..r.VVV'],
    ['another call in between does not hide it', 'a b a c a', '....r'],
    ['to and fro between two', 'a b a b a b a b a', '....rr..V'],
    ['a round of three', 'a b c a b c a b c a b c a', '......rrr...V'],
    ['two parallel calls, in any order', 'ab ba ab ba ab', '..rrV'],
    ['a round of parallel turns', 'ab cd ab cd ab cd ab cd ab', '....rrrrV'],
    ['twice in one turn counts once', 'aa aa', '..'],
    ['many times in one turn counts once', 'aaaaaaa aaa aa aaaaaaaa aa', '..r.V'],
    ['a model that goes another way after the reminder is not stopped', 'a a a b c d e f g', '..r......'],
    ['it may be told again about something else', 'a a a b b b c', '..r..r.'],
    ['who reads something new in between is on the way', 'a a a b a a', '..r...'],
    ['for as long as there is something new', 'a a a b a c a d a e a f a a', '..r...........'],
    ['and is told nothing more: without anything new, two more are the end', 'a a a b a a a', '..r...V'],
    ['what was seen before is nothing new', 'b a a a b a b a', '...r..rV'],
    ['the same beside something new in each turn', 'ab ac ad ae af ag ah ai', '..r.....'],
  ])('%s', (_name, turns, marks) => {
    expect(play(letters(turns)).marks).toBe(marks);
  });

  test.each([
    [0, '..........'],
    [1, '.r.VVVVVVV'],
    [2, '.r.VVVVVVV'],
    [4, '...r.VVVVV'],
    [6, '.....r.VVV'],
  ])('with maxRepeats %i ten times the same leads to %s', (maxRepeats, marks) => {
    expect(play(letters('a a a a a a a a a a'), maxRepeats).marks).toBe(marks);
  });

  test('with 0 nothing is even kept', () => {
    expect(noteTurn(noRepetition, [read('a')], 0)).toBe(noRepetition);
  });

  test('a turn without calls keeps what is known, and the reminder is not said again', () => {
    expect(play([...letters('a a a'), [], ...letters('a'), [], ...letters('a')]).marks).toBe('..r...V');
  });

  test('key order, white space and escapes in the arguments do not matter', () => {
    const spellings = [
      '{"x":1,"y":{"b":[1,2],"a":"é"}}',
      '{ "y": {"a":"\\u00e9", "b":[1, 2]},\n"x":1 }',
      '{"y":{"b":[1,2],"a":"é"},"x":1.0}',
    ];
    expect(play(spellings.map((text) => [pair('t', text, 'same')])).marks).toBe('..r');
  });

  test('the order in a list, a type and a further field do matter', () => {
    const others = ['{"x":[1,2]}', '{"x":[2,1]}', '{"x":["1",2]}', '{"x":[1,2],"y":null}', '{"x":{"0":1,"1":2}}'];
    expect(play(others.map((text) => [pair('t', text, 'same')])).marks).toBe('.....');
  });

  test('arguments that are no JSON object, or nest without end, are compared as they are written', () => {
    for (const text of ['{"path": "a', '', 'null', '[1]', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`]) {
      expect(play(times(5, () => [pair('t', text, 'bad arguments', { isError: true })])).marks).toBe('..r.V');
    }
    expect(play(times(5, (index) => [pair('t', `{"path": "${index}`, 'bad')])).marks).toBe('.....');
  });

  test('another tool, another result, another isError or another image is another pair', () => {
    const image = (data: string): Part[] => [{ type: 'image', mediaType: 'image/png', data }];
    const args = { path: 'a' };
    const pairs = [
      pair('t', args, 'same'),
      pair('u', args, 'same'),
      pair('t', args, 'other'),
      pair('t', args, 'same', { isError: true }),
      pair('t', args, image('AA')),
      pair('t', args, image('BB')),
    ];
    expect(play([...pairs, ...pairs].map((one) => [one])).marks).toBe('.'.repeat(12));
    expect(play(times(3, () => [pair('t', args, image('AA'))])).marks).toBe('..r');
  });

  test('a call to a tool that there is not is a call like any other', () => {
    expect(play(times(5, () => [pair('nope', {}, 'There is no such tool', { effect: undefined, isError: true })])).marks).toBe(
      '..r.V',
    );
  });
});

describe('what is said', () => {
  test('the reminder names the call and how often it was, and the verdict does so for people', () => {
    const { states } = play(times(5, () => [bash('npm test', '1 failed', true)]));
    expect(states[2]?.reminder).toBe(
      'In 3 turns you have made the same call and got the same result: bash {"command":"npm test"}\n' +
        'Making it once more will not tell you anything new. Work with what it returned, try something else, or write the final answer. ' +
        'If you are waiting for something, let the command sleep before it looks.',
    );
    expect(play(letters('a a a')).states[2]?.reminder).toMatch(/or write the final answer\.$/);
    expect(states[4]).toMatchObject({
      reminder: undefined,
      verdict:
        'the model made the same call in 5 turns and got the same result, also after it was told so: bash {"command":"npm test"}',
    });
  });

  test('each of several calls is told by itself, in call order', () => {
    const { states } = play(letters('ab ab ab ab'));
    expect(states.map(({ reminder }) => /"path":"(.)"/.exec(reminder ?? '')?.[1])).toEqual([undefined, undefined, 'a', 'b']);
  });

  test('whoever saw a result change may look again: only what has come since the change counts', () => {
    const seesIn = (...outputs: readonly string[]) => play(outputs.map((output) => [read('a', output)]));
    const { marks, states } = seesIn('1', '2', '1', '1', '1');
    expect(marks).toBe('....r');
    expect(states[4]?.reminder).toContain('In 3 turns');
    expect(seesIn('1', '1', '1', '2', '1', '1', '1', '1', '1').marks).toBe('..r...r.V');
    expect(seesIn(...times(40, (index) => (index % 3 === 0 ? 'passed' : 'failed'))).marks).toBe('.'.repeat(40));
  });

  test.each([
    ['short', '{"a":"é"}', '{"a":"é"}'],
    ['at the limit', `{"a":"${'x'.repeat(112)}"}`, `{"a":"${'x'.repeat(112)}"}`],
    ['over it', `{"a":"${'x'.repeat(113)}"}`, `{"a":"${'x'.repeat(111)}…`],
    ['two bytes each', `{"a":"${'é'.repeat(200)}"}`, `{"a":"${'é'.repeat(55)}…`],
    ['four bytes each', `{"a":"${'😀'.repeat(200)}"}`, `{"a":"${'😀'.repeat(27)}…`],
    ['broken, of several lines', '{"a":\n\n  "b', '{"a": "b'],
  ])('arguments are shown in at most 120 bytes, never half a character: %s', (_name, args, shown) => {
    const { states } = play(times(3, () => [pair('t', args, 'same')]));
    const preview = /: t (.*)\n/.exec(states[2]?.reminder ?? '')?.[1] ?? '';
    expect(preview).toBe(shown);
    expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(120);
  });
});

describe('progress', () => {
  const failing = bash('npm test', '1 failed', true);

  test('the same test after each new edit is legal for ever', () => {
    const turns = times(40, (index) => [[edit(`v${index}`, `v${index + 1}`)], [failing]]).flat();
    expect(play(turns).marks).toBe('.'.repeat(80));
    expect(play(times(40, (index) => [edit(`v${index}`, `v${index + 1}`), failing])).marks).toBe('.'.repeat(40));
  });

  test('an edit after the reminder begins anew, and the same may be told again', () => {
    expect(play([...times(4, () => [failing]), [edit('a', 'b')], ...times(5, () => [failing])]).marks).toBe('..r....r.V');
  });

  test('calls of one turn are taken in their order: what came before the edit is forgotten, what comes after it is not', () => {
    expect(play([[failing], [failing], [failing, edit('a', 'b')], [failing], [failing], [failing]]).marks).toBe('.....r');
    expect(play([[failing], [failing], [edit('a', 'b'), failing], [failing], [failing]]).marks).toBe('....r');
    expect(play([[failing, edit('a', 'b'), failing], [failing], [failing]]).marks).toBe('..r');
  });

  test('an edit that failed is none', () => {
    expect(play([[failing], [failing], [edit('a', 'b', true)], [failing]]).marks).toBe('...r');
    expect(play(times(5, () => [edit('a', 'b', true)])).marks).toBe('..r.V');
  });

  test('the same write again is none, and is a repeat itself', () => {
    expect(play(times(6, () => [edit('a', 'b')])).marks).toBe('..r.VV');
  });

  test('to and fro between two texts is none', () => {
    const { marks } = play(times(12, (index) => (index % 2 === 0 ? [edit('a', 'b')] : [edit('b', 'a')])));
    expect(marks).toBe('.....rr..VVV');
    const withTest = times(8, (index) => [index % 2 === 0 ? [edit('a', 'b')] : [edit('b', 'a')], [failing]]).flat();
    expect(play(withTest).marks).toContain('V');
  });
});

describe('commands', () => {
  test('a new command that works may have changed something: the same failing test after each is legal for ever', () => {
    const turns = times(30, (index) => [[bash(`sed -i ${index}d a.ts`, '')], [bash('npm test', '1 failed', true)]]).flat();
    expect(play(turns).marks).toBe('.'.repeat(60));
  });

  test('so may one that fails: what it says is new, and the same in between is told, but does not end the run', () => {
    const turns = times(30, (index) => [[bash(`probe ${index}`, `error ${index}`, true)], [bash('npm test', '1 failed', true)]]);
    expect(play(turns.flat()).marks).toBe(`.....r${'.'.repeat(54)}`);
  });

  test('new calls that their tool refuses may be attempts: the same in between is told as ever, and borne six times more', () => {
    const failing = bash('npm test', '1 failed', true);
    expect(play(times(30, (index) => [[edit(`no ${index}`, 'x', true)], [failing]]).flat()).marks).toMatch(/^\.{5}r\.{11}V/);
    const mixed = [[failing], [failing], [failing], [edit('no', 'x', true)], [failing], [failing], [failing]];
    expect(play(mixed).marks).toBe('..r...V');
  });

  test('one that sleeps before it looks waits: it has ten times the patience, and an end all the same', () => {
    const { marks } = play(times(60, () => [bash('sleep 30; tail -1 build.log', 'Building…')]));
    expect([marks.indexOf('r'), marks.indexOf('V')]).toEqual([29, 49]);
    expect(play(times(5, () => [read('sleep')])).marks).toBe('..r.V');
  });

  const noisy: [string, (index: number) => string][] = [
    [
      'durations',
      (index) => `Tests: 1 failed\nTime: ${index + 1}.${index}42 s (${index * 7} ms), 1m${index}s in all\n[exit code 1]`,
    ],
    ['times of day', (index) => `2026-03-0${index % 9} 10:0${index % 9}:11.5Z start\n[10:1${index % 9}:00] failed`],
    ['seconds since 1970', (index) => `failed at 17${10_000_000 + index}.25 and at 17${10_000_000_000 + index}`],
    [
      'process numbers',
      (index) => `(node:${100 + index}) Warning\npid ${index} died, PID=${index}\n[1] ${4000 + index}\n==${index}== ERROR`,
    ],
    [
      'temporary names',
      (index) => `in /tmp/tmp.aB${index}cdEfGh/x.log and /tmp/go-build38475${index}83/b001 and /tmp/build-AbCdE${index}: failed`,
    ],
    ['addresses and ids', (index) => `<obj at 0x7f3a4b5c6d${index}> 123e4567-e89b-12d3-a456-42661417400${index % 10} failed`],
  ];

  test.each(noisy)('whose output differs only by %s are told later, and stopped later', (_name, output) => {
    const { marks, states } = play(times(12, (index) => [bash('npm test', output(index), true)]));
    expect(marks).toBe('.....r...VVV');
    expect(states[5]?.reminder).toContain(
      'In 6 turns you have made the same call and got the same result but for what changes by itself',
    );
    expect(states[9]?.verdict).toContain('in 10 turns');
  });

  test.each<[string, (index: number) => string]>([
    ['a log that grows', (index) => times(index + 1, (line) => `10:00:0${line % 10} line`).join('\n')],
    ['a count that changes', (index) => `${index} of 100 done`],
    ['a percentage', (index) => `downloading ${index * 3}%`],
    ['a size', (index) => `-rw-r--r-- 1 root root ${1_712_345_678 + index} big.iso`],
    ['a number of failures', (index) => `${40 - index} failed, 3 passed (1.${index} s)`],
    ['a file by number', (index) => `wrote /tmp/out/part${index}.o`],
    ['a version', (index) => `v1.${index}.0`],
    ['a line of the source', (index) => `src/a.ts:${index}:3 error`],
  ])('that wait for something are honest: %s', (_name, output) => {
    expect(play(times(40, (index) => [bash('status', output(index))])).marks).toBe('.'.repeat(40));
  });

  test('the results of other tools are compared exactly: a file that says another time is another file', () => {
    expect(play(times(20, (index) => [read('log', `took ${index} s`)])).marks).toBe('.'.repeat(20));
  });

  test('megabytes of digits cost no more than any other text', () => {
    const flood = [
      '1'.repeat(1_000_000),
      '0x'.repeat(500_000),
      '/tmp/'.repeat(200_000),
      '12:'.repeat(300_000),
      '1 '.repeat(500_000),
    ];
    for (const text of flood) noteTurn(noRepetition, [bash('cat', text)], 3);
    // Were it quadratic, the test's own time limit would end it.
    expect.assertions(0);
  });
});

describe('whatever the calls', () => {
  const seeds = times(60, (index) => index + 1);

  test.each([2, 3, 5])(
    'a round of any length up to 14 is told at its repeat number %i and ends two rounds later',
    (maxRepeats) => {
      for (const length of times(14, (index) => index + 1)) {
        const { marks } = play(
          times(length * 8, (index) => [read(`${index % length}`)]),
          maxRepeats,
        );
        expect(marks.indexOf('r')).toBe((maxRepeats - 1) * length);
        expect(marks.indexOf('V')).toBe((maxRepeats + 1) * length);
      }
    },
  );

  test.each<[string, (at: number) => Pair]>([
    ['commands that work', (at) => bash(`cmd ${at}`)],
    ['commands that fail', (at) => bash(`cmd ${at}`, `error ${at}`, true)],
    ['edits', (at) => edit(`v${at}`, `v${at + 1}`)],
    ['edits that miss', (at) => edit(`v${at}`, `v${at + 1}`, true)],
    ['commands and reads', (at) => (at % 2 === 0 ? bash(`cmd ${at}`) : read(`${at}`))],
  ])('a round of %s, of any length up to 14, ends in its seventh time', (_name, make) => {
    for (const length of times(14, (index) => index + 1)) {
      const { marks } = play(times(length * 7, (index) => [make(index % length)]));
      expect([length, marks.slice(0, 2 * length)]).toEqual([length, '.'.repeat(2 * length)]);
      expect([length, marks.at(-1)]).toEqual([length, 'V']);
    }
  });

  test('calls that are all different, or whose results are, lead to nothing', () => {
    for (const seed of seeds.slice(0, 10)) {
      const random = createRandom(seed);
      const turns = times(100, (turn) => times(1 + random.below(4), (index) => read(`${random.below(5)}`, `${turn} ${index}`)));
      expect(play(turns).marks).toBe('.'.repeat(100));
    }
  });

  test('a verdict names a call that a reminder had named before, and that came at least twice after it', () => {
    let verdicts = 0;
    for (const seed of seeds) {
      const turns = randomTurns(createRandom(seed));
      const { marks, states } = play(turns);
      const end = marks.indexOf('V');
      if (end === -1) continue;
      verdicts += 1;
      const named = nameIn(states[end]?.verdict);
      const told = states.findLastIndex((state, index) => index < end && nameIn(state.reminder) === named);
      expect(told).toBeGreaterThanOrEqual(0);
      const after = turns
        .slice(told + 1, end + 1)
        .filter((pairs) => pairs.some(({ call }) => `${call.name} ${call.arguments}` === named));
      expect(after.length).toBeGreaterThanOrEqual(2);
    }
    expect(verdicts).toBeGreaterThan(10);
  });

  test('ids, and how a call is spelled, make no difference', () => {
    for (const seed of seeds.slice(0, 20)) {
      const turns = randomTurns(createRandom(seed));
      const spelled = turns.map((pairs) =>
        pairs.map((one) => ({
          ...one,
          call: { ...one.call, id: 'x', arguments: one.call.arguments.replaceAll(/([{:,}])/g, ' $1\n') },
        })),
      );
      expect(play(spelled).states).toEqual(play(turns).states);
    }
  });

  test('the state does not grow without end, and is never changed in place', () => {
    const random = createRandom(7);
    let state = noRepetition;
    for (let turn = 0; turn < 150; turn += 1) {
      state = deepFreeze(
        noteTurn(
          state,
          times(40, (index) => read(`${turn} ${index} ${random.below(9)}`)),
          3,
        ),
      );
      if (turn % 3 === 0) state = deepFreeze(noteTurn(state, [read('same')], 1000));
    }
    expect(state.seen.length).toBeLessThanOrEqual(1024);
    expect(JSON.stringify(state).length).toBeLessThan(300_000);
  });

  test('what was told hours ago is forgotten, too: it must be told again before it is the end', () => {
    expect(play([...letters('a a a'), ...times(50, () => []), ...letters('a a a a a')]).marks).toBe(`..r${'.'.repeat(50)}..r.V`);
  });

  test('what was seen hours ago is forgotten', () => {
    const rare = times(3, (round) => [[read('a')], ...times(60, (index) => [read(`${round} ${index}`)])]).flat();
    expect(play(rare).marks).not.toContain('r');
  });
});

function randomTurns(random: Random): Pair[][] {
  return times(40, (turn) =>
    times(1 + random.below(3), () => {
      const kind = random.below(10);
      if (kind === 0) return edit(`${random.below(3)}`, `${random.below(3)}`, random.below(2) === 0);
      if (kind === 1) return read('fresh', `${turn}`);
      return read(`${random.below(6)}`);
    }),
  );
}

function nameIn(text: string | undefined): string | undefined {
  return /: (\S+ \{.*\})/.exec(text ?? '')?.[1];
}

function deepFreeze(state: RepetitionState): RepetitionState {
  for (const one of [...state.seen, ...state.reminded]) Object.freeze(one);
  Object.freeze(state.seen);
  Object.freeze(state.reminded);
  return Object.freeze(state);
}
