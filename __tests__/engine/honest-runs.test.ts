// Long honest work, with the habits that agents have: whatever else is told, repeating a habit must never end a run.
import { describe, expect, test } from '@jest/globals';
import { noRepetition, noteTurn } from '../../src/engine/repetition.ts';
import { textPart } from '../../src/schema/message.ts';
import { createRandom, type Random } from '../tools/random.ts';

type Pair = Parameters<typeof noteTurn>[1][number];
type Turn = readonly Pair[];

function does(call: { effect: Pair['effect']; name: string; args: object }, output: string, isError = false): Pair {
  const { effect, name, args } = call;
  return {
    call: { id: 'c', name, arguments: JSON.stringify(args) },
    result: { toolCallId: 'c', output: [textPart(output)], isError },
    effect,
  };
}

const read = (path: string): Pair => does({ effect: 'read', name: 'read_file', args: { path } }, `text of ${path}`);
const bash = (command: string, output: string, isError = false): Pair =>
  does({ effect: 'execute', name: 'bash', args: { command } }, output, isError);
const edit = (to: string, isError = false): Pair =>
  does(
    { effect: 'write', name: 'edit_file', args: { path: 'a.ts', new_string: to } },
    isError ? 'not found' : `now ${to}`,
    isError,
  );
const list = (): Pair => does({ effect: 'read', name: 'todo_write', args: { todos: ['audit'] } }, '0 of 1 completed');
const failing = (seconds: number): Pair => bash('npm test', `1 failed in ${seconds}.3 s`, true);

function verdictOf(turns: readonly Turn[]): string | undefined {
  return turns.reduce((state, pairs) => noteTurn(state, pairs, 3), noRepetition).verdict;
}

/** `make` gives the turns of one step. */
function steps(make: (index: number) => readonly Turn[]): readonly Turn[] {
  return Array.from({ length: 500 }, (_, index) => make(index))
    .flat()
    .slice(0, 500);
}

describe('five hundred turns of', () => {
  test.each<[string, readonly Turn[]]>([
    ['reading, with a look at the status in each turn', steps((at) => [[read(`${at}`), bash('git status --short', '')]])],
    ['reading, with a look at the status in every second turn', steps((at) => [[read(`${at}`)], [bash('pwd', '/w')]])],
    ['reading, with the same file in between', steps((at) => [[read('a.ts')], [read(`${at}`)], [read('a.ts')]])],
    ['reading, with the same to-do list in each turn', steps((at) => [[list(), read(`${at}`)]])],
    ['reading, with the same failing test now and then', steps((at) => [[read(`${at}`)], [read(`${at}b`)], [failing(1)]])],
    ['editing and testing', steps((at) => [[edit(`v${at}`)], [failing(at % 60)]])],
    ['editing and testing in one turn', steps((at) => [[edit(`v${at}`), failing(at % 60)]])],
    ['editing with sed and testing', steps((at) => [[bash(`sed -i s/a${at}/b/ a.ts`, '')], [failing(1)]])],
    ['patching by a here document and testing', steps((at) => [[bash(`git apply <<E\n+${at}\nE`, '')], [failing(1)]])],
    ['a flaky test', steps((at) => [[bash('npm test', at % 3 === 0 ? 'all passed' : '1 failed', at % 3 !== 0)]])],
    ['commits', steps((at) => [[edit(`v${at}`)], [bash('git add -A', '')], [bash('git commit -m x', `[main ${at}]`)]])],
    ['builds from nothing', steps((at) => [[bash('rm -rf build', '')], [bash('make', 'ok')], [edit(`v${at}`)], [failing(1)]])],
    ['stepping through a debugger', steps((at) => [[bash('step', `line ${at}`)]])],
    ['edits that mostly miss, each after another look', steps((at) => [[edit(`v${at}`, at % 5 !== 0)], [read('a.ts')]])],
  ])('%s', (_name, turns) => expect(verdictOf(turns)).toBeUndefined());

  test('all of it, in any mixture', () => {
    for (let seed = 1; seed <= 60; seed += 1) expect(verdictOf(mixture(createRandom(seed)))).toBeUndefined();
  });
});

/** An agent with habits: something new each time, and with it or after it what it always does. */
function mixture(random: Random): readonly Turn[] {
  return steps((at) => {
    const habits = [
      bash('git status --short', ''),
      bash('git diff --stat', ' a.ts | 2 +-'),
      read('README.md'),
      failing(random.below(60)),
      list(),
    ];
    const news = [
      read(`src/${at}`),
      edit(`v${at}`),
      edit(`v${at}`, true),
      bash(`grep -rn x${at} src`, '', true),
      bash(`sed -n ${at}p a.ts`, `line ${at}`),
    ];
    const [something, habit] = [random.pick(news), random.pick(habits)];
    return random.below(2) === 0 ? [[something, habit]] : [[something], [habit]];
  });
}
