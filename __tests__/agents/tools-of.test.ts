import { describe, expect, test } from '@jest/globals';
import { builtInAgents } from '../../src/agents/built-in.ts';
import { readAgent } from '../../src/agents/definition.ts';
import { toolsOf, unknownTools } from '../../src/agents/tools-of.ts';
import type { ToolDefinition } from '../../src/schema/message.ts';
import { createRandom, type Random } from '../tools/random.ts';

const names = ['bash', 'edit_file', 'glob', 'grep', 'mcp__docs__find', 'mcp__docs__read', 'mcp__mail__send', 'read_file'];

function toolNamed(name: string): ToolDefinition {
  return { name, description: name, inputSchema: { type: 'object' }, place: 'host', effect: 'read' };
}

/** What an agent with these lists has of `names`, `task` and `todo_write`. */
function narrow(tools: readonly string[] | undefined, disallowedTools: readonly string[] = []): readonly string[] {
  return toolsOf({ tools, disallowedTools }, [...names, 'task', 'todo_write'].map(toolNamed)).map(({ name }) => name);
}

describe('the tools of a sub-agent', () => {
  test('are its parent’s, but for the task tool and the to-do list, where it names none', () => {
    expect(narrow(undefined)).toEqual(names);
  });

  test.each<[what: string, tools: readonly string[] | undefined, disallowed: readonly string[], expected: readonly string[]]>([
    ['are those that it names', ['read_file', 'grep'], [], ['grep', 'read_file']],
    ['are none where its list is empty', [], [], []],
    ['are no other ones than its parent has', ['read_file', 'write_file', 'root_shell'], [], ['read_file']],
    ['are never the task tool and the to-do list, even by name', ['task', 'todo_write', 'bash', '*'], [], names],
    [
      'are without those that it names as forbidden',
      undefined,
      ['bash', 'mcp__docs__read'],
      names.toSpliced(5, 1).toSpliced(0, 1),
    ],
    ['are without those that it both names and forbids', ['bash', 'grep'], ['bash'], ['grep']],
    ['are whole where a pattern speaks of arguments', ['bash(git log:*)'], [], ['bash']],
    ['are kept where only some calls are forbidden', ['bash', 'grep'], ['bash(rm:*)'], ['bash', 'grep']],
    ['are those of a server', ['mcp__docs__*'], ['mcp__docs__r*'], ['mcp__docs__find']],
    ['are none where all are forbidden', undefined, ['*'], []],
    ['are no others because of a part of a name', ['ba', 'read', 'READ_FILE', 'grep '], [], []],
    ['are none by a pattern that is no pattern', ['', '(', '.*', '[a-z]+', '**'], [], []],
  ])('%s', (_what, tools, disallowed, expected) => {
    expect(narrow(tools, disallowed)).toEqual(expected);
  });

  test('of the explorer are those that read', () => {
    const [, explorer] = builtInAgents;
    expect(narrow(explorer?.tools, explorer?.disallowedTools)).toEqual(['glob', 'grep', 'read_file']);
  });

  test.each<[tools: readonly string[] | undefined, disallowed: readonly string[], unknown: readonly string[]]>([
    [undefined, [], []],
    [['bash(git log:*)', 'mcp__docs__*', 'task', 'todo_write', '*'], ['read_file'], []],
    [
      ['bahs', 'LS', 'bahs(x)'],
      ['Bash', 'mcp__docs'],
      ['bahs', 'LS', 'Bash', 'mcp__docs'],
    ],
  ])('of %j without %j, the names that no tool has are %j', (tools, disallowedTools, unknown) => {
    expect(unknownTools({ tools, disallowedTools }, names.map(toolNamed))).toEqual(unknown);
  });

  test('are the parent’s own definitions in their order', () => {
    const parent = names.toReversed().map(toolNamed);
    expect(toolsOf({ tools: undefined, disallowedTools: [] }, parent)).toEqual(parent);
  });

  test('are never more than the parent’s, whatever a definition says; a further denial never adds one, a further permission never takes one', () => {
    const random = createRandom(7);
    const offered = [...names, 'task', 'todo_write'];
    for (let round = 0; round < 2_000; round += 1) {
      const parent = offered.filter(() => random.below(2) === 0).map(toolNamed);
      const tools = random.below(4) === 0 ? undefined : randomPatterns(random);
      const disallowedTools = randomPatterns(random);
      const own = toolsOf({ tools, disallowedTools }, parent);
      expect(parent).toEqual(expect.arrayContaining([...own]));
      expect(own.map(({ name }) => name)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(task|todo_write)$/)]));
      const more = randomPatterns(random);
      expect(own).toEqual(
        expect.arrayContaining([...toolsOf({ tools, disallowedTools: [...disallowedTools, ...more] }, parent)]),
      );
      if (tools === undefined) continue;
      expect(toolsOf({ tools: [...tools, ...more], disallowedTools }, parent)).toEqual(expect.arrayContaining([...own]));
    }
  });

  test('are never more than the parent’s, whatever stands in a file', () => {
    const random = createRandom(11);
    const parent = ['bash', 'read_file'].map(toolNamed);
    let usable = 0;
    for (let round = 0; round < 500; round += 1) {
      const fields = { description: 'd', tools: randomPatterns(random).join(','), disallowed_tools: [...randomPatterns(random)] };
      const reading = readAgent({ kind: 'read', fields, body: 'x' }, 'a', (name) => name);
      if (reading.kind === 'broken') continue;
      usable += 1;
      expect(parent).toEqual(expect.arrayContaining([...toolsOf(reading.agent, parent)]));
    }
    expect(usable).toBeGreaterThan(50);
  });
});

function randomPatterns(random: Random): readonly string[] {
  return Array.from({ length: random.below(4) }, () => {
    const name = random.pick([...names, 'task', 'todo_write', 'Bash', 'write_file']);
    const shape = random.below(6);
    if (shape === 0) return `${name.slice(0, random.below(name.length))}*`;
    if (shape === 1) return `${name}(git ${random.pick(['log', 'push'])}:*)`;
    if (shape === 2 && random.below(4) === 0)
      return random.pick(['', '(', '*', `${name}(`, `${name})`, `${name} x`, '\0', '*(*)']);
    return name;
  });
}
