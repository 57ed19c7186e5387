// The golden scenarios of sub-agents and guardrails, in both modes: the whole agent as it is composed, real rules, hooks, tools and folder.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { textOf } from '../../src/schema/message.ts';
import { type Mode, modes } from '../engine/scene.ts';
import { lastTextOf, type Step, usage } from '../engine/scripted-model.ts';
import { offeredIn, setAgent } from './agent-scene.ts';
import { acts, answers, broken, mendCart, mended, readCart } from './golden-scene.ts';

const ended = { stopReason: 'completed' };
const task = (agent: string, prompt = 'Look.', background = false) => ['task', { agent, prompt, background }] as const;
const runs = (command: string) => acts(['bash', { command }]);
const asked = (agent: string) => task(agent);
const linesOf = (name: string): readonly string[] => [0, 1, 2, 3, 4].map((at) => `${name}${at}\n`);
const marks = (line: string) =>
  acts(['edit_file', { path: 'lines', old_string: line, new_string: line.replace('\n', ' done\n') }]);
const counted = (step: Step): Step => ({ ...step, usage: usage(100, 10) });
const outOf = (text: string): readonly string[] => text.split('\n');

describe.each(modes)('%s', (mode: Mode) => {
  describe('sub-agents', () => {
    test('[spec golden subagent_foreground] it sees its order and nothing else, and its last message is the observation', async () => {
      await using scene = await setAgent(mode, [acts(task('reader', 'What is wrong?')), acts(mendCart), answers('Mended.')], {
        children: { reader: [acts(readCart), answers('It subtracts.')] },
      });
      expect(await scene.play('The secret is 42.')).toMatchObject({
        ...ended,
        finalMessage: 'Mended.',
        turns: 3,
        subagents: { runs: 1, turns: 2 },
      });
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['task', 'edit_file'], mended]);
      expect(scene.heard(0)).toMatch(/^\[reader: completed, 2 turns, [\d,]+ tokens\]\n.*\nIt subtracts\.$/);
      const [system, order, ...rest] = scene.children.reader?.requests[0]?.messages ?? [];
      expect(textOf(system?.content ?? [])).toContain('# Your role\nYou are reader.');
      expect([textOf(order?.content ?? []), rest]).toEqual(['What is wrong?', []]);
    });

    test('[spec golden subagent_parallel] three at once, answered in the order of the calls, and counted together', async () => {
      // None of them can end before all of them work.
      const meets = (name: string): readonly Step[] => {
        const waits = `touch ${name}; until [ -e a -a -e b -a -e c ]; do sleep 0.02; done`;
        return [counted(runs(waits)), counted(answers(`${name}.`))];
      };
      const steps = [counted(acts(task('a'), task('b'), task('c'))), counted(answers('All three.'))];
      await using scene = await setAgent(mode, steps, { children: { a: meets('a'), b: meets('b'), c: meets('c') } });
      expect(await scene.play()).toMatchObject({
        ...ended,
        finalMessage: 'All three.',
        turns: 2,
        subagents: { runs: 3, turns: 6 },
        usage: usage(8 * 100, 8 * 10),
      });
      expect([0, 1, 2].map((number) => outOf(scene.heard(number)).at(-1))).toEqual(['a.', 'b.', 'c.']);
      expect(scene.told().slice(0, 3)).toEqual(['a started', 'b started', 'c started']);
      expect(scene.told().slice(3).toSorted()).toEqual(['a completed', 'b completed', 'c completed']);
      expect(scene.events.at(-1)?.type).toBe('done');
    });

    test('[spec golden subagent_background_joined] the run does not end before it, and its report is answered', async () => {
      const steps = [acts(task('slow', 'Look.', true)), answers('Done so far.'), answers('With the report.')];
      await using scene = await setAgent(mode, steps, { children: { slow: [runs('sleep 0.3'), answers('It is there.')] } });
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: 'With the report.', turns: 3 });
      expect(scene.heard(0)).toMatch(/^started in the background as /);
      expect(lastTextOf(scene.model.requests[2])).toMatch(
        /^Task \S+ has ended\.[\s\S]*\n<task-\w+>\n\[slow: [\s\S]*\nIt is there\.\n</,
      );
      expect(scene.session.messages.filter(({ isFromRun }) => isFromRun)).toHaveLength(1);
    });

    test('[spec golden subagent_error_is_observation] one that fails and one at its limit are told as that, and the run goes on', async () => {
      const fault = { kind: 'auth', message: 'the key was refused', retryable: false } as const;
      await using scene = await setAgent(mode, [acts(task('bad'), task('long')), acts(mendCart), answers('Without them.')], {
        children: { bad: [{ fault }], long: [acts(readCart), answers('Half.')] },
        definitions: { long: { maxTurns: 2 } },
      });
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: 'Without them.' });
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['task!', 'task', 'edit_file'], mended]);
      expect(scene.heard(0)).toMatch(/^\[bad: error, 1 turn, .*\]\nCause: the key was refused\nIt left no message\.$/);
      expect(scene.heard(1)).toMatch(/^\[long: max_turns, .*\]\nIt reached the most turns .*\n.*\nHalf\.$/);
    });

    test('[spec golden subagent_no_recursion] it has no task and no to-do list, by whatever name', async () => {
      const deeper = { agent: 'general', prompt: 'deeper' };
      const tries = acts(['task', deeper], ['Task', deeper], ['functions.task', deeper], ['todo_write', { todos: [] }]);
      await using scene = await setAgent(mode, [acts(task('a')), answers('Over.')], { children: { a: [tries, answers('No.')] } });
      expect(await scene.play()).toMatchObject({ ...ended, subagents: { runs: 1, turns: 2 } });
      expect(offeredIn(scene.children.a?.requests[0])).toEqual(['bash', 'edit_file', 'glob', 'grep', 'read_file', 'write_file']);
      const told = scene.children.a?.requests[1]?.messages.slice(-4).map(({ content }) => textOf(content).slice(0, 22));
      expect(told).toEqual(Array.from({ length: 4 }, () => 'There is no tool named'));
      expect(scene.told()).toEqual(['a started', 'a completed']);
    });

    test('[spec golden subagent_tools_narrowed] its definition takes tools and commands away, and grants none', async () => {
      const tries = acts(mendCart, ['bash', { command: 'ls src' }], ['bash', { command: 'ls src; touch new' }]);
      await using scene = await setAgent(mode, [acts(task('a')), answers('Over.')], {
        children: { a: [tries, answers('Tried.')] },
        definitions: { a: { tools: ['read_file', 'bash(ls:*)'], disallowedTools: ['read_file(src/**)'] } },
      });
      expect(await scene.play()).toMatchObject(ended);
      expect(offeredIn(scene.children.a?.requests[0])).toEqual(['bash', 'read_file']);
      const [edit, list, second] = scene.children.a?.requests[1]?.messages.slice(-3) ?? [];
      expect(edit).toMatchObject({ isError: true });
      expect(textOf(list?.content ?? [])).toBe('cart.js\n[exit code 0]');
      expect(textOf(second?.content ?? [])).toContain('nothing on it covers `touch new`');
      expect(scene.read('src/cart.js')).toBe(broken);
      expect(() => scene.read('new')).toThrow('ENOENT');
    });

    test('[spec golden subagent_in_plan] while its parent plans it reads, changes nothing, and is not asked for a plan', async () => {
      await using scene = await setAgent(mode, [acts(task('a')), answers('1. Mend it.')], {
        planMode: 'plan',
        children: { a: [acts(mendCart, ['Bash', { command: 'touch new' }], readCart), answers('It subtracts.')] },
      });
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: '1. Mend it.' });
      expect(offeredIn(scene.children.a?.requests[0])).toEqual(['glob', 'grep', 'read_file']);
      expect(scene.children.a?.requests[1]?.messages.slice(-3).map(({ isError }) => isError)).toEqual([true, true, false]);
      expect(JSON.stringify(scene.children.a?.requests)).not.toContain('numbered steps');
      expect(scene.read('src/cart.js')).toBe(broken);
    });

    test('[spec golden subagent_one_file] what several of them change in one file is all there', async () => {
      const names = ['a', 'b', 'c', 'd'];
      const content = names.flatMap(linesOf).join('');
      const write = ['write_file', { path: 'lines', content }] as const;
      await using scene = await setAgent(mode, [acts(write), acts(...names.map(asked)), answers('Done.')], {
        children: Object.fromEntries(names.map((name) => [name, [...linesOf(name).map(marks), answers('Done.')]])),
      });
      expect(await scene.play()).toMatchObject(ended);
      expect(scene.read('lines')).toBe(content.replaceAll('\n', ' done\n'));
    });
  });

  describe('guardrails', () => {
    test('[spec golden guardrail_deny_rule_is_told] what a rule denies is not run, and the model is told the rule', async () => {
      await using scene = await setAgent(mode, [acts(mendCart), answers('I may not.')], {
        settings: { permissionRules: 'deny edit_file(src/**)' },
      });
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: 'I may not.' });
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['edit_file!'], broken]);
      expect(scene.heard(0)).toContain('denied by the rule edit_file(src/**) (--permission-rules, line 1)');
    });

    test('[spec golden guardrail_allowed_tools] what no list names is neither offered nor run', async () => {
      await using scene = await setAgent(mode, [acts(mendCart, readCart), answers('Only read.')], {
        settings: { allowedTools: 'read_file' },
      });
      await scene.play();
      expect(offeredIn(scene.model.requests[0])).toEqual(['read_file', 'task', 'todo_write']);
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['edit_file!', 'read_file'], broken]);
    });

    test('[spec golden guardrail_ask_unattended_denied] where nobody answers an ask denies, and its rule is named', async () => {
      await using scene = await setAgent(mode, [runs('touch new'), answers('Nobody to ask.')], {
        settings: { permissionRules: 'ask bash(touch:*)' },
      });
      expect(await scene.play()).toMatchObject(ended);
      expect(scene.heard(0)).toMatch(/the permission rule bash\(touch:\*\) .* wants it confirmed, and nobody can answer here/);
      expect(() => scene.read('new')).toThrow('ENOENT');
    });

    test('[spec golden guardrail_ask_approved] a person decides call by call, and is told when it is for a sub-agent; for none in the background', async () => {
      const questions: string[] = [];
      const steps = [
        runs('touch a'),
        acts(task('helper'), task('hidden', 'Look.', true)),
        answers('So far.'),
        answers('Two of four.'),
      ];
      await using scene = await setAgent(mode, steps, {
        settings: { permissionRules: 'ask bash(touch:*)' },
        children: {
          helper: [runs('touch b'), runs('touch c'), answers('One of two.')],
          hidden: [runs('touch d'), answers('None.')],
        },
        approve: async ({ call, reason }) => {
          questions.push(`${call.arguments} ${/\(asked for .*\)$/.exec(reason)?.[0] ?? ''}`);
          return { isAllowed: !call.arguments.includes('touch b') };
        },
      });
      expect(await scene.play()).toMatchObject(ended);
      const forHelper = '(asked for the sub-agent helper)';
      expect(questions).toEqual([
        '{"command":"touch a"} ',
        `{"command":"touch b"} ${forHelper}`,
        `{"command":"touch c"} ${forHelper}`,
      ]);
      expect(['a', 'b', 'c', 'd'].filter((file) => existsSync(path.join(scene.dir, file)))).toEqual(['a', 'c']);
    });

    test('[spec golden guardrail_shell_line_second_command] no allowed command lets another one through', async () => {
      const lines = [
        'ls; touch new',
        'ls && touch new',
        'ls | tee new',
        'ls $(touch new)',
        'ls > new',
        'bash -c "ls; touch new"',
      ];
      await using scene = await setAgent(mode, [...lines.map(runs), runs('ls src | ls'), answers('Only ls.')], {
        settings: { allowedTools: 'bash(ls:*)' },
      });
      expect(await scene.play()).toMatchObject(ended);
      expect(scene.done()).toEqual([...lines.map(() => 'bash!'), 'bash']);
      expect(scene.heard(0)).toContain('nothing on it covers `touch new`');
      expect(() => scene.read('new')).toThrow('ENOENT');
    });

    test('[spec golden guardrail_hook_denies] a command says no, and why is told to the model', async () => {
      const hooks = 'PreToolUse:\n  - matcher: edit_file\n    command: echo "ask the owner of src first" >&2; exit 2\n';
      await using scene = await setAgent(mode, [acts(mendCart, readCart), answers('Asked.')], { settings: { hooks } });
      expect(await scene.play()).toMatchObject(ended);
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['edit_file!', 'read_file'], broken]);
      expect(scene.heard(0)).toContain('denied it: ask the owner of src first');
    });

    test('[spec golden guardrail_hook_fails_closed] a command that cannot judge denies the call, and people are told', async () => {
      const hooks = 'PreToolUse:\n  - name: judge\n    command: exit 9\n';
      await using scene = await setAgent(mode, [acts(mendCart), answers('Stopped.')], { settings: { hooks } });
      expect(await scene.play()).toMatchObject({ ...ended, notes: [expect.stringContaining('The hook "judge" (PreToolUse)')] });
      expect([scene.done(), scene.read('src/cart.js')]).toEqual([['edit_file!'], broken]);
    });

    test('[spec golden guardrail_hook_rewrites] the call that runs is the hook’s, the rules judge that one, and the model is told', async () => {
      const answer = (command: string) => `'{"tool_input":{"command":"${command}"}}'`;
      const hooks = `PreToolUse:\n  - matcher: bash(cat:*)\n    command: echo ${answer('head -n 1 src/cart.js')}\n  - matcher: bash(ls:*)\n    command: echo ${answer('touch new')}\n`;
      await using scene = await setAgent(mode, [runs('cat src/cart.js'), runs('ls'), answers('Seen.')], {
        settings: { hooks, permissionRules: 'deny bash(touch:*)' },
      });
      expect(await scene.play()).toMatchObject(ended);
      expect(scene.heard(0)).toMatch(/changed the arguments of this call to .*head -n 1[\s\S]*\nexport function total/);
      expect(scene.done()).toEqual(['bash', 'bash!']);
      expect(() => scene.read('new')).toThrow('ENOENT');
    });

    test('[spec golden guardrail_result_rewritten] a result reaches the model as the hook leaves it', async () => {
      const hooks = `PostToolUse:\n  - matcher: read_file\n    command: echo '{"tool_output":"(hidden)"}'\n`;
      await using scene = await setAgent(mode, [acts(readCart), answers('Hidden.')], { settings: { hooks } });
      await scene.play();
      expect([scene.done(), scene.heard(0)]).toEqual([['read_file'], '(hidden)']);
    });

    test('[spec golden guardrail_stop_hook_sends_back] who says done too early goes on until the hook has no objection', async () => {
      const hooks =
        'Stop:\n  - command: if ! grep -q "sum + price" src/cart.js; then echo "the total still subtracts" >&2; exit 2; fi\n';
      await using scene = await setAgent(mode, [answers('Done.'), acts(mendCart), answers('Now it is.')], {
        settings: { hooks },
      });
      expect(await scene.play()).toMatchObject({ ...ended, finalMessage: 'Now it is.', turns: 3 });
      expect(lastTextOf(scene.model.requests[1])).toContain('the total still subtracts');
      expect(scene.read('src/cart.js')).toBe(mended);
    });

    test('[spec golden guardrail_verify_sends_back] what does not pass goes back to the agent, and what passed at last is said', async () => {
      const wrong = ['edit_file', { path: 'src/cart.js', old_string: 'sum - price', new_string: 'sum * price' }] as const;
      const right = ['edit_file', { path: 'src/cart.js', old_string: 'sum * price', new_string: 'sum + price' }] as const;
      await using scene = await setAgent(mode, [acts(wrong), answers('Done.'), acts(right), answers('Done now.')], {
        settings: { verifyCommand: 'grep -q "sum + price" src/cart.js' },
      });
      const { finalMessage, notes } = await scene.play();
      expect([finalMessage, notes]).toEqual(['Done now.', [expect.stringMatching(/verify_command\) passed/)]]);
      expect(scene.read('src/cart.js')).toBe(mended);
    });

    test('[spec golden guardrail_holds_in_subagent] rules and hooks of the run are those of its sub-agents', async () => {
      const hooks = 'PreToolUse:\n  - matcher: write_file\n    command: exit 2\n';
      const tries = acts(mendCart, ['Write', { file_path: 'new', content: 'x' }], ['bash', { command: 'true; touch new' }]);
      await using scene = await setAgent(mode, [acts(task('a'), task('b', 'Look.', true)), answers('1'), answers('2')], {
        settings: { hooks, permissionRules: 'deny edit_file(src/**)\nask bash(touch:*)' },
        children: { a: [tries, answers('Tried.')], b: [tries, answers('Tried.')] },
        definitions: { a: { tools: ['*'] } },
      });
      expect(await scene.play()).toMatchObject(ended);
      for (const child of [scene.children.a, scene.children.b]) {
        expect(child?.requests[1]?.messages.slice(-3).map(({ isError }) => isError)).toEqual([true, true, true]);
      }
      expect(scene.read('src/cart.js')).toBe(broken);
      expect(() => scene.read('new')).toThrow('ENOENT');
    });
  });
});
