// The golden scenarios of the reference, in both modes: which tools ran, what was said, what came of it. Long-term memory and stored-away
// results (write_memory, search_memory, offload_retrieval) are not built.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { textOf } from '../../src/schema/message.ts';
import { type Mode, modes, tails } from '../engine/scene.ts';
import { lastTextOf, user } from '../engine/scripted-model.ts';
import { acts, answers, broken, lists, mendCart, mended, readCart, setGolden } from './golden-scene.ts';

const ended = { stopReason: 'completed' };
const plan = 'Plan:\n1. Mend total() in src/cart.js\n2. Run it\nFiles: src/cart.js\nCheck: node src/check.js';
const check = ['bash', { command: `node --input-type=module -e "$(cat src/cart.js); console.log(total([1, 2]))"` }] as const;

describe.each(modes)('%s', (mode: Mode) => {
  describe('tools', () => {
    test('[spec golden bash_basic] a command runs in the folder, and its output is the observation', async () => {
      using scene = setGolden(mode, [acts(['bash', { command: 'ls src; exit 3' }]), answers('There is a cart.')]);
      expect(await scene.play('what is there?')).toMatchObject({ ...ended, finalMessage: 'There is a cart.', turns: 2 });
      expect([scene.done(), scene.heard(0)]).toEqual([['bash!'], 'cart.js\n[exit code 3]']);
    });

    test('[spec golden read_file] a file comes with the numbers of its lines', async () => {
      using scene = setGolden(mode, [acts(readCart), answers('It subtracts.')]);
      expect(await scene.play()).toMatchObject(ended);
      expect(scene.heard(0)).toBe(
        `${broken
          .trimEnd()
          .split('\n')
          .map((line, index) => `${index + 1}\t${line}`)
          .join('\n')}\n[3 lines]`,
      );
    });

    test('[spec golden write_then_read] what was written is read again', async () => {
      const write = ['write_file', { path: 'deep/er/note.txt', content: 'remember\n' }] as const;
      using scene = setGolden(mode, [acts(write), acts(['read_file', { path: 'deep/er/note.txt' }]), answers('Noted.')]);
      expect(await scene.play()).toMatchObject(ended);
      expect([scene.done(), scene.read('deep/er/note.txt')]).toEqual([['write_file', 'read_file'], 'remember\n']);
      expect(scene.heard(1)).toContain('remember');
    });

    test('[spec golden edit_file_fuzzy_indent] a text that is indented otherwise is found, and the file keeps its indentation', async () => {
      const [from, to] = ['sum - price', 'sum + price'].map((sum) => `\treturn prices.reduce((sum, price) => ${sum}, 0);`);
      const edit = acts(['edit_file', { path: 'src/cart.js', old_string: from, new_string: to }]);
      using scene = setGolden(mode, [edit, answers('Mended.')]);
      expect(await scene.play()).toMatchObject(ended);
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['edit_file'], mended]);
      expect(scene.heard(0)).toContain('2\t  return prices.reduce');
    });

    test('[spec golden parallel_tools] the calls of one turn are all answered, in their order', async () => {
      const write = ['write_file', { path: 'a.txt', content: 'a' }] as const;
      const list = ['bash', { command: 'ls' }] as const;
      using scene = setGolden(mode, [acts(readCart, write, list, ['read_file', { path: 'none' }]), answers('ok')]);
      expect(await scene.play()).toMatchObject({ ...ended, turns: 2 });
      expect(scene.done()).toEqual(['read_file', 'write_file', 'bash', 'read_file!']);
      expect(scene.heard(2)).toBe('a.txt\nsrc\n[exit code 0]');
    });

    test('[spec golden no_tool_conversation] an answer needs no tool', async () => {
      using scene = setGolden(mode, [answers('hello')]);
      expect(await scene.play('hi')).toMatchObject({ ...ended, finalMessage: 'hello', turns: 1 });
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([[], broken]);
    });
  });

  describe('planning', () => {
    test('[spec golden plan_generated] looking, then a plan as the last message; nothing was changed', async () => {
      using scene = setGolden(mode, [acts(readCart), answers(plan)], { planMode: 'plan' });
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: plan, turns: 2 });
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['read_file'], broken]);
      for (const { tools } of scene.model.requests)
        expect(tools.map(({ name }) => name)).toEqual(['glob', 'grep', 'read_file', 'todo_write']);
    });

    test('[spec golden exploration_before_plan] what would write while planning is refused, the plan comes all the same', async () => {
      const steps = [acts(readCart, mendCart), acts(['bash', { command: 'touch src/new' }]), answers(plan)];
      using scene = setGolden(mode, steps, { planMode: 'plan' });
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: plan });
      expect(scene.done()).toEqual(['read_file', 'edit_file!', 'bash!']);
      expect(scene.read('src/cart.js')).toBe(broken);
      expect(() => scene.read('src/new')).toThrow('ENOENT');
    });

    test('[spec golden plan_then_execute] the approved plan is carried out in the next run of the session, step by step', async () => {
      using scene = setGolden(
        mode,
        [
          acts(readCart),
          answers(plan),
          acts(lists({ 'Mend total': 'in_progress', 'Run it': 'pending' })),
          acts(mendCart),
          acts(lists({ 'Mend total': 'completed', 'Run it': 'in_progress' }), check),
          acts(lists({ 'Run it': 'completed' })),
          answers('Mended, and it says 3.'),
        ],
        { planMode: 'plan' },
      );
      await scene.play();
      scene.engine.setPlanMode('default');
      expect(await scene.play('approved')).toMatchObject({ ...ended, finalMessage: 'Mended, and it says 3.', turns: 5 });
      expect(scene.done()).toEqual(['read_file', 'todo_write', 'edit_file', 'todo_write', 'bash', 'todo_write']);
      expect([scene.heard(4), scene.read('src/cart.js')]).toEqual(['3\n[exit code 0]', mended]);
      expect(scene.list()).toEqual(['Mend total: completed', 'Run it: completed']);
      expect(textOf(scene.model.requests[2]?.messages[4]?.content ?? [])).toContain(plan);
    });

    test('[spec 9 Planning] a plan, its list, going on by itself while there is progress, and the stall that ends it', async () => {
      using scene = setGolden(
        mode,
        [
          answers(plan),
          acts(lists({ 'Mend total': 'in_progress', 'Run it': 'pending', 'Tell the team': 'pending' })),
          acts(mendCart),
          answers('The total is mended.'),
          acts(lists({ 'Mend total': 'completed', 'Run it': 'in_progress', 'Tell the team': 'pending' }), check),
          answers('It says 3.'),
          acts(lists({ 'Run it': 'completed', 'Tell the team': 'in_progress' })),
          ...['I cannot reach the team.', 'Still not.', 'No.'].map(answers),
          answers('I give up.'),
        ],
        { planMode: 'plan' },
      );
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: plan });
      scene.engine.setPlanMode('default');
      expect(await scene.play('approved')).toMatchObject({
        ...ended,
        finalMessage: 'I give up.',
        notes: [expect.stringMatching(/nothing on it was finished any more: Tell the team$/)],
      });
      expect(scene.model.leftover).toBe(0);
      const asked = scene.session.messages.filter(({ role, toolCallId }) => role === 'user' && toolCallId === undefined);
      const goOn = (open: string) =>
        expect.stringMatching(new RegExp(`^${open} of your to-do list (is|are) still open\\. Go on`));
      expect(asked.map(({ content }) => textOf(content))).toEqual([
        'Mend the total.',
        'approved',
        goOn('3 items'),
        goOn('2 items'),
        goOn('1 item'),
        goOn('1 item'),
        goOn('1 item'),
      ]);
      expect([scene.list(), scene.read('src/cart.js')]).toEqual([
        ['Mend total: completed', 'Run it: completed', 'Tell the team: in_progress'],
        mended,
      ]);
      expect(await scene.session.getTodos()).toMatchObject([
        { status: 'completed' },
        { status: 'completed' },
        { status: 'in_progress' },
      ]);
    });

    test('[spec golden exploration_only] a question is answered from what was read, without a list', async () => {
      using scene = setGolden(mode, [acts(readCart), acts(['bash', { command: 'ls' }]), answers('It is in src.')]);
      expect(await scene.play('where is it?')).toMatchObject({ ...ended, finalMessage: 'It is in src.', turns: 3 });
      expect([scene.done(), scene.list(), scene.read('src/cart.js')]).toEqual([['read_file', 'bash'], [], broken]);
    });

    test('[spec golden simple_task_no_plan] one change and an answer; nobody asks for a list', async () => {
      using scene = setGolden(mode, [acts(mendCart), answers('Mended.')]);
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: 'Mended.', turns: 2 });
      expect([scene.read('src/cart.js'), scene.list(), tails(scene.model).flat()]).toEqual([mended, [], []]);
    });

    test('a list that claims everything at once is refused; the model mends its call and goes on', async () => {
      const steps = [
        acts(lists({ Read: 'completed', Mend: 'completed' })),
        acts(lists({ Read: 'in_progress', Mend: 'pending' })),
        acts(lists({ Read: 'completed', Mend: 'cancelled' })),
        answers('Read.'),
      ];
      using scene = setGolden(mode, steps);
      expect(await scene.play()).toMatchObject(ended);
      expect(scene.done()).toEqual(['todo_write!', 'todo_write', 'todo_write']);
      expect(scene.heard(0)).toContain('2 items (1, 2) would go straight');
      expect(scene.list()).toEqual(['Read: completed', 'Mend: cancelled']);
    });

    test('[spec 5.5 WithTodoStore] [spec 9 todo persistence] the next process of the thread sees the open items and finishes them', async () => {
      const open = { 'Read it': 'completed', 'Mend it': 'in_progress', 'Run it': 'pending' };
      const idle = ['Tired.', 'Tired.', 'Still tired.', 'Enough.'].map(answers);
      using first = setGolden(mode, [acts(lists(open)), ...idle]);
      expect(await first.play()).toMatchObject(ended);
      // The model knows the words of the items from the end of the request, not their ids.
      const rest = (status: string) => acts(lists({ 'Mend it': status, 'Run it': status }));
      using next = setGolden(
        mode,
        [
          rest('in_progress'),
          acts(lists({ 'Mend it': 'done', 'Run it': 'doing' })),
          acts(lists({ 'Run it': 'done' })),
          answers('All done.'),
        ],
        {
          session: first.session,
        },
      );
      expect(await next.play('Go on.')).toMatchObject(ended);
      expect(lastTextOf(next.model.requests[0])).toMatch(/1 completed\):\n\[>\] Mend it\n\[ \] Run it$/);
      expect(tails(next.model).at(-1)).toEqual([]);
      expect((await first.session.getTodos()).map(({ content, status }) => `${content}: ${status}`)).toEqual([
        'Read it: completed',
        'Mend it: completed',
        'Run it: completed',
      ]);
    });
  });

  describe('context', () => {
    test('[spec golden sequential_tool_chain] each call builds on the one before', async () => {
      using scene = setGolden(mode, [acts(check), acts(readCart), acts(mendCart), acts(check), answers('3 now.')]);
      expect(await scene.play()).toMatchObject({ ...ended, turns: 5 });
      expect(scene.done()).toEqual(['bash', 'read_file', 'edit_file', 'bash']);
      expect([scene.heard(0), scene.heard(3)]).toEqual(['-3\n[exit code 0]', '3\n[exit code 0]']);
      expect(scene.model.requests.map(({ messages }) => messages.length)).toEqual([2, 4, 6, 8, 10]);
    });

    test('[spec golden multi_turn_conversation] each run sees what was said and done before', async () => {
      using scene = setGolden(mode, [acts(readCart), answers('It subtracts.'), answers('As I said.')]);
      await scene.play('what is wrong?');
      await scene.play('and again?');
      expect(scene.model.requests[2]?.messages.slice(1)).toEqual([...scene.session.messages.slice(0, 4), user('and again?')]);
      expect(scene.session.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
    });

    test('[spec golden tool_error_observation] a failure is an observation that says how to mend the call', async () => {
      const wrong = ['edit_file', { path: 'src/cart.js', old_string: 'sum * price', new_string: 'sum + price' }] as const;
      using scene = setGolden(mode, [acts(wrong), acts(['edit_file', {}]), acts(mendCart), answers('Mended.')]);
      expect(await scene.play()).toMatchObject(ended);
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['edit_file!', 'edit_file!', 'edit_file'], mended]);
      expect(scene.heard(0)).toContain('old_string is not in the file');
      expect(scene.heard(1)).toContain('"path" is missing');
    });

    test('[spec golden stall_nudge_preserves_loop] a reminder changes neither the history nor the tools, and the run goes on', async () => {
      using scene = setGolden(mode, [acts(readCart), acts(readCart), acts(readCart), acts(mendCart), answers('Mended.')]);
      expect(await scene.play()).toMatchObject({ ...ended, turns: 5 });
      const reminders = tails(scene.model);
      expect(reminders.map((each) => each.length)).toEqual([0, 0, 0, 1, 0]);
      expect(reminders[3]?.[0]).toContain('read_file');
      expect(JSON.stringify(scene.session.messages)).not.toContain(reminders[3]?.[0]?.slice(0, 40));
      expect(new Set(scene.model.requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
      expect(scene.done()).toEqual(['read_file', 'read_file', 'read_file', 'edit_file']);
    });
  });

  describe('errors', () => {
    test('[spec golden bash_fallback_on_error] where one tool fails, another one does it', async () => {
      const find = ['bash', { command: 'cat "$(find . -name cart.js)"' }] as const;
      using scene = setGolden(mode, [acts(['read_file', { path: 'cart.js' }]), acts(find), answers('Found.')]);
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: 'Found.' });
      expect(scene.done()).toEqual(['read_file!', 'bash']);
      expect(scene.heard(1)).toContain(broken);
    });

    test('[spec golden write_failure_graceful_stop] what cannot be written is said, nothing is half done, and the run ends with an answer', async () => {
      const write = (file: string) => ['write_file', { path: file, content: 'x' }] as const;
      const everywhere = acts(write('src'), write('src/cart.js/x'), write('../outside.js'), write('.git/config'), write(''));
      using scene = setGolden(mode, [everywhere, answers('I cannot write there.')]);
      mkdirSync(path.join(scene.dir, '.git'));
      writeFileSync(path.join(scene.dir, '.git/config'), 'own');
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: 'I cannot write there.', turns: 2 });
      expect(scene.done()).toEqual(Array.from({ length: 5 }, () => 'write_file!'));
      for (const number of [0, 1, 2, 3, 4]) expect(scene.heard(number)).toMatch(/^write_file: \S/);
      expect([scene.read('src/cart.js'), scene.read('.git/config')]).toEqual([broken, 'own']);
      expect(() => scene.read('../outside.js')).toThrow('ENOENT');
    });

    test('[spec golden max_turns_protection] a model without end is stopped with an answer', async () => {
      const endless = Array.from({ length: 4 }, (_, at) => acts(['bash', { command: `echo ${at}` }]));
      using scene = setGolden(mode, [...endless, answers('Four looks, nothing found.')], { maxTurns: 5 });
      expect(await scene.play()).toMatchObject({ stopReason: 'max_turns', turns: 5, finalMessage: 'Four looks, nothing found.' });
      expect(scene.done()).toHaveLength(4);
      expect(scene.model.requests.at(-1)?.toolChoice).toBe('none');
    });
  });
});
