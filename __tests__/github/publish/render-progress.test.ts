import { describe, expect, test } from '@jest/globals';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { reduceProgress, renderProgress, startProgress } from '../../../src/github/publish/render-progress.ts';
import { noUsage } from '../../../src/schema/message.ts';
import type { EngineEvent } from '../../../src/schema/run.ts';
import type { TodoItem, TodoStatus } from '../../../src/schema/todo.ts';
import { plan } from '../plan-and-bundle.ts';

const start = (turn: number, id: string, name: string, args: unknown): EngineEvent => ({
  turn,
  type: 'tool_start',
  data: { id, name, arguments: JSON.stringify(args) },
});
const end = (turn: number, toolCallId: string, isError = false): EngineEvent => ({
  turn,
  type: 'tool_result',
  data: { result: { toolCallId, output: [], isError }, durationMs: 1 },
});
const render = (...events: EngineEvent[]) =>
  renderProgress(events.reduce(reduceProgress, startProgress), { plan, elapsedMs: 72_000 });
const head = '### harness9 is working on it… [View run](https://github.com/acme/shop/actions/runs/99)';

const todo = (content: string, status: TodoStatus): TodoItem => ({ id: content, content, status });
const list = (turn: number, ...data: readonly TodoItem[]): EngineEvent => ({ turn, type: 'todo_update', data });
const linesOf = (...events: EngineEvent[]) =>
  render(...events)
    .split('\n')
    .slice(1);

describe('steps', () => {
  test('at first only the headline', () => {
    expect(renderProgress(startProgress, { plan, elapsedMs: 0 })).toBe(head);
    expect(render()).toBe(`${head}\n\nStarting… · 1 m 12 s`);
  });

  test('steps in human words, one line a turn, the running one in bold', () => {
    expect(
      render(
        start(1, 'a', 'read_file', { path: 'src/cart.ts' }),
        end(1, 'a'),
        start(2, 'a', 'read_file', { path: 'a.ts' }),
        start(2, 'b', 'read_file', { path: 'b.ts' }),
        start(2, 'c', 'bash', { command: 'npm test' }),
        end(2, 'a'),
        end(2, 'b'),
        end(2, 'c', true),
        start(7, 'a', 'edit_file', { path: 'src/cart.ts' }),
      ),
    ).toBe(
      [
        head,
        '- [x] Read `src/cart.ts`',
        '- [x] Read `a.ts`, `b.ts`',
        '- ❌ Ran `npm test` (failed)',
        '- [ ] **Editing `src/cart.ts`**',
        '',
        'turn 7 of 50 · 1 m 12 s',
      ].join('\n'),
    );
  });

  test('a search is told by what is looked for, and where', () => {
    const looked = [
      start(1, 'a', 'glob', { pattern: '**/*.ts', path: 'src' }),
      start(1, 'b', 'glob', { pattern: '*.md' }),
      start(1, 'c', 'grep', { pattern: 'a`b|c', path: './lib', glob: '*.js' }),
      end(1, 'a'),
      end(1, 'b'),
      end(1, 'c'),
      start(2, 'a', 'grep', { pattern: 'x', path: '' }),
      start(3, 'a', 'grep', { path: 'src', pattern: 7 }),
    ];
    expect(linesOf(...looked).slice(0, 3)).toEqual([
      '- [x] Looked for `**/*.ts` in `src`, `*.md`, searched for ``a`b|c`` in `./lib`',
      '- [ ] **Searching for `x`**',
      '- [ ] **Searching for**',
    ]);
  });

  test('a tool of an MCP server is named with its server', () => {
    const names = ['mcp__tracker__search_issues', 'mcp__my_server____x', 'mcp__a__b__c', 'mcp__a', 'mcp____b', 'mcp__`a__`b'];
    const begun = names.map((name, index) => start(index + 1, 'a', name, {}));
    expect(linesOf(...begun, start(7, 'a', 'mcp__docs__get', { path: 'x' }), end(7, 'a')).slice(0, 7)).toEqual([
      '- [ ] **Using `search_issues` of `tracker`**',
      '- [ ] **Using `__x` of `my_server`**',
      '- [ ] **Using `b__c` of `a`**',
      '- [ ] **Using `mcp__a`**',
      '- [ ] **Using `mcp____b`**',
      '- [ ] **Using `` `b `` of `` `a ``**',
      '- [x] Used `get` of `docs`',
    ]);
  });

  test('a sub-agent in the background is at work until it has ended itself, whatever its call was answered', () => {
    const ended = (turn: number, callId: string, stopReason: 'completed' | 'error'): EngineEvent => {
      const data = {
        callId,
        agent: 'general',
        isBackground: true,
        state: 'ended',
        stopReason,
        turns: 2,
        usage: noUsage,
        durationMs: 1,
      } as const;
      return { turn, type: 'subagent_update', data };
    };
    const begun = ['a', 'b', 'c'].flatMap((id) => [
      start(1, id, 'task', { agent: 'general', prompt: 'x', background: true }),
      end(1, id, id === 'c'),
    ]);
    const waited = [start(1, 'd', 'task', { agent: 'explorer', prompt: 'x' }), ended(1, 'd', 'completed'), end(1, 'd')];
    const shown = (...more: EngineEvent[]) => linesOf(...begun, ...waited, ...more);
    expect(shown(start(2, 'a', 'read_file', { path: 'x' }), end(2, 'a'))).toEqual([
      '- [x] Asked the agent `explorer`',
      '- ❌ Asked the agent `general` (failed)',
      '- [ ] **Asking the agent `general`, `general`**',
      '- [x] Read `x`',
      '',
      'turn 2 of 50 · 1 m 12 s',
    ]);
    expect(shown(ended(3, 'a', 'completed'), ended(3, 'b', 'error'))).toEqual([
      '- [x] Asked the agent `general`, `explorer`',
      '- ❌ Asked the agent `general`, `general` (failed)',
      '',
      'Thinking… · turn 3 of 50 · 1 m 12 s',
    ]);
  });

  test('a command cannot write Markdown into the comment, and a long one is cut', () => {
    const text = render(start(1, 'a', 'bash', { command: `x\`\n- [x] done @all ${'y'.repeat(200)}` }));
    expect(text.split('\n')[1]).toBe(`- [ ] **Running \`\`x\` - [x] done @all ${'y'.repeat(60)}…\`\`**`);
  });

  test('arguments that are no JSON, unknown tools and endless runs do not break it', () => {
    const events = Array.from({ length: 30 }, (_, index): EngineEvent[] => [
      { turn: index + 1, type: 'tool_start', data: { id: 'a', name: index % 2 === 0 ? 'bash' : 'mystery', arguments: '{' } },
      end(index + 1, 'a'),
    ]).flat();
    const lines = render(...events).split('\n');
    expect(lines.slice(0, 3)).toEqual([head, '- … 19 earlier steps', '- [x] Used `mystery`']);
    expect(lines).toHaveLength(15);
    expect(lines.at(-1)).toBe('Thinking… · turn 30 of 50 · 1 m 12 s');
  });
});

describe('the to-do list', () => {
  const three = [
    todo('Read the code', 'completed'),
    todo('Fix rounding in `total()`', 'in_progress'),
    todo('Tell @octocat <b>', 'pending'),
  ];

  test('stands in the place of the steps, with what is being done under it', () => {
    expect(
      render(start(1, 'r', 'read_file', { path: 'a.ts' }), list(2, ...three), start(3, 'x', 'bash', { command: 'npm test' })),
    ).toBe(
      [
        head,
        '- [x] Read the code',
        '- [ ] **Fix rounding in `total()`**',
        '- [ ] Tell @\u2060octocat \\<b\\>',
        '',
        'Running `npm test`…',
        '',
        'turn 3 of 50 · 1 m 12 s',
      ].join('\n'),
    );
  });

  test('is the engine’s, whatever the calls that wrote it said', () => {
    const call = start(1, 'a', 'todo_write', { todos: [{ id: '9', content: 'Refused', status: 'completed' }], merge: true });
    expect(linesOf(call, end(1, 'a', true))).toEqual(['', 'Thinking… · turn 1 of 50 · 1 m 12 s']);
    expect(linesOf(list(1, ...three), call, end(1, 'a')).slice(0, 3)).toEqual(linesOf(list(1, ...three)).slice(0, 3));
  });

  test('is replaced as a whole, and gives its place back when it is empty', () => {
    const read = [start(1, 'r', 'read_file', { path: 'a.ts' }), end(1, 'r')];
    expect(linesOf(...read, list(1, ...three), list(2, todo('Only this', 'pending')))[0]).toBe('- [ ] Only this');
    expect(linesOf(...read, list(1, ...three), list(2))[0]).toBe('- [x] Read `a.ts`');
  });

  test('shows an item that was given up as neither done nor open', () => {
    expect(linesOf(list(1, todo('Port `old.ts`', 'cancelled')))[0]).toBe('- ~~Port `old.ts`~~');
  });

  test.each(['completed', 'in_progress', 'cancelled', 'pending'] as const)(
    'an item without words that is %s has its line',
    (status) => {
      for (const content of ['', ' \n', '\u200b']) {
        const [line = ''] = linesOf(list(1, todo(content, status)));
        expect(line).toMatch(/^- .*…/);
        expect(fromMarkdown(line, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })).toMatchObject({
          children: [{ type: 'list', children: [{ children: [{ type: 'paragraph' }] }] }],
        });
      }
    },
  );

  const long = (statusOf: (index: number) => TodoStatus, size = 40) =>
    linesOf(list(1, ...Array.from({ length: size }, (_, index) => todo(`item ${index}`, statusOf(index))))).slice(0, -2);

  test.each<[string, number, string, string]>([
    ['the first', 0, '- [ ] **item 0**', '- … 30 later items'],
    ['one in the middle', 20, '- … 18 earlier items', '- … 12 later items'],
    ['the last', 39, '- … 30 earlier items', '- [ ] **item 39**'],
  ])('a long one is shown around the item that is worked on: %s', (_which, current, first, last) => {
    const lines = long((index) => (index < current ? 'completed' : index === current ? 'in_progress' : 'pending'));
    expect([lines[0], lines.at(-1)]).toEqual([first, last]);
    expect(lines.filter((line) => line.includes('**'))).toEqual([`- [ ] **item ${current}**`]);
    expect(lines.length).toBeLessThanOrEqual(12);
  });

  test('a long one without such an item is shown around the next, and a finished one by its end', () => {
    expect(long((index) => (index < 25 ? 'completed' : 'pending'))).toContain('- [ ] item 25');
    expect(long(() => 'completed').at(-1)).toBe('- [x] item 39');
    expect(long(() => 'pending', 10)).toHaveLength(10);
  });
});

describe('what is not shown', () => {
  const record = { strategy: 'summary', tokensBefore: 9, tokensAfter: 1, messagesBefore: 9, messagesAfter: 1 };
  const call = { id: 'a', name: 'bash', arguments: '{}' };
  const quiet: readonly EngineEvent[] = [
    { turn: 2, type: 'compaction', data: record },
    { turn: 2, type: 'approval_required', data: { call, reason: 'edits are confirmed' } },
    { turn: 2, type: 'action_delta', data: 'text' },
    { turn: 2, type: 'tool_start', data: { id: 't', name: 'todo_write', arguments: '{}' } },
    end(2, 't'),
  ];

  test.each(quiet)('$type in a turn that is known already: the state is the same, so that no edit is made', (event) => {
    const state = [start(2, 'x', 'bash', { command: 'npm test' }), list(2, todo('One', 'pending'))].reduce(
      reduceProgress,
      startProgress,
    );
    expect(reduceProgress(state, event)).toBe(state);
  });

  test.each(quiet)('$type in a new turn: only the turn goes on', (event) => {
    expect(reduceProgress(startProgress, event)).toEqual({ ...startProgress, turn: 2 });
  });
});
