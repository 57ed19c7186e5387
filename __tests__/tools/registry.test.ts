import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { ToolResult } from '../../src/schema/message.ts';
import { textOf } from '../../src/schema/message.ts';
import { canonicalCall } from '../../src/tools/canonical-call.ts';
import { createEditFileTool } from '../../src/tools/edit-file/edit-file.ts';
import { hostToolDefinitions } from '../../src/tools/host-tools.ts';
import { createRegistry, describeUnknownTool } from '../../src/tools/registry.ts';
import { createSeenFiles } from '../../src/tools/seen-files.ts';
import { defineTool, success } from '../../src/tools/tool.ts';

const signal = new AbortController().signal;

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  place: 'host',
  effect: 'read',
  schema: z.object({ path: z.string(), times: z.number().int().optional(), loud: z.boolean().optional() }),
  run: async (args) => success(JSON.stringify(args)),
});

function registryOf(...tools: Parameters<ReturnType<typeof createRegistry>['register']>[0][]) {
  const registry = createRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

async function run(name: string, raw: string, registry = registryOf(echo)): Promise<{ text: string; isError: boolean }> {
  const result: ToolResult = await registry.execute({ id: 'c1', name, arguments: raw }, { signal });
  expect(result.toolCallId).toBe('c1');
  return { text: textOf(result.output), isError: result.isError };
}

describe('registry', () => {
  test('[spec 5.4 Register] a second tool of one name is refused', () => {
    const registry = registryOf(echo);
    expect(() => registry.register(echo)).toThrow(expect.objectContaining({ code: 'TOOL_DUPLICATE' }));
  });

  test('[spec 5.4 GetAvailableTools] definitions are sorted by name and the same array every time', () => {
    const registry = registryOf(echo, { ...echo, definition: { ...echo.definition, name: 'a_first' } });
    expect(registry.getAvailableTools().map(({ name }) => name)).toEqual(['a_first', 'echo']);
    expect(registry.getAvailableTools()).toBe(registry.getAvailableTools());
  });

  test('the host tools say their contract without a workspace', () => {
    const definitions = hostToolDefinitions();
    const names = definitions.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(definitions.map(({ name, effect, timeoutMs, maxTimeoutMs }) => [name, effect, timeoutMs, maxTimeoutMs])).toEqual(
      expect.arrayContaining([
        ['bash', 'execute', 120_000, 600_000],
        ['edit_file', 'write', undefined, undefined],
        ['read_file', 'read', undefined, undefined],
        ['write_file', 'write', undefined, undefined],
      ]),
    );
    expect(definitions.find(({ name }) => name === 'edit_file')?.inputSchema).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Relative to the workspace.' },
        old_string: { type: 'string' },
        new_string: { type: 'string' },
        replace_all: { type: 'boolean' },
      },
      required: ['path', 'old_string', 'new_string'],
      additionalProperties: false,
    });
  });

  test('[spec 5.4 Execute] G6-25 an unknown tool is answered with the names of those that are there', async () => {
    expect(await run('nope', '{}')).toEqual({ text: 'There is no tool named "nope". Available: echo.', isError: true });
    expect((await run('', '{}')).isError).toBe(true);
    expect((await run('__proto__', '{}')).isError).toBe(true);
    expect(describeUnknownTool('LS', hostToolDefinitions())).toBe(
      'There is no tool named "LS". read_file of a directory lists it. Available: bash, edit_file, glob, grep, read_file, write_file.',
    );
    expect(describeUnknownTool('list_dir', [])).toBe('There is no tool named "list_dir". Available: none.');
  });

  test.each(['', '  \n', 'null', '{}'])('G2-01 G2-02 arguments %j count as none and name the missing field', async (raw) => {
    expect(await run('echo', raw)).toEqual({
      text:
        'echo: the arguments do not fit, nothing was done.\n- "path" is missing; expected: string.\n' +
        'Fields: path (string, required), times (integer, optional), loud (boolean, optional).',
      isError: true,
    });
  });

  test('F6 wrong types, unknown fields and a polluted prototype are told by name and value', async () => {
    const { text, isError } = await run('echo', '{"path":["a"],"times":{"x":1},"colour":"red","__proto__":{"loud":true}}');
    expect(isError).toBe(true);
    expect(text).toContain('- "path" is ["a"]; expected: string.');
    expect(text).toContain('- "times" is {"x":1}; expected:');
    expect(text).toContain('- "colour" is not a field of this tool.');
    expect(text).toContain('- "__proto__" is not a field of this tool.');
    expect('loud' in {}).toBe(false);
  });

  test.each([
    ['1.5', 'a whole number'],
    ['1e300', 'a smaller number'],
    ['"two"', 'number'],
  ])('a number that is none is told in words: %s', async (times, expected) => {
    expect((await run('echo', `{"path":"a","times":${times}}`)).text).toContain(`; expected: ${expected}.\n`);
  });

  test.each([
    [
      '{"path":"a","edits":[{"old_string":"x","new_string":"y"}]}',
      '"edits" is not a field of this tool; one edit a call: give old_string and new_string, and call once for each edit.',
    ],
    [
      '{"path":"a","diff":"@@"}',
      '"diff" is not a field of this tool; give the text to replace as old_string and the new text as new_string.',
    ],
    [
      '{"path":"a","old_string":"x","new_string":"y","expected_replacements":3}',
      '"expected_replacements" is not a field of this tool; to replace every occurrence set replace_all.',
    ],
    ['{"path":"a","old_string":["x"],"new_string":"y"}', '"old_string" is ["x"]; expected: string.'],
    ['{"path":"","old_string":"x","new_string":"y"}', '"path" is ""; expected: a path.'],
    ['{"path":"a","old_string":"x"}', '"new_string" is missing; expected: string.'],
    ['{"path":"a","old_string":"x","new_string":"y","replace_all":"yes"}', '"replace_all" is "yes"; expected: boolean.'],
  ])('G6-25 edit_file %s is refused by the name of the field, and by how to say it here', async (raw, words) => {
    const tool = createEditFileTool({ workDir: '/nowhere', redactionMark: '***', randomHex: () => '', seen: createSeenFiles() });
    const { text, isError } = await run('MultiEdit', raw, registryOf(tool));
    expect([isError, text.split('\n').includes(`- ${words}`)]).toEqual([true, true]);
    expect(text).toMatch(/^edit_file: the arguments do not fit, nothing was done\./);
  });

  test('a hint is given only where the tool has the fields that it names', async () => {
    expect((await run('echo', '{"path":"a","edits":[],"start_line":3}')).text).toContain(
      '- "edits" is not a field of this tool.\n- "start_line" is not a field of this tool.\n',
    );
  });

  test('F6 deep, large and broken JSON is refused before any schema sees it', async () => {
    const deep = `{"path":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await run('echo', deep)).text).toContain('nested deeper than 64');
    expect((await run('echo', JSON.stringify({ path: 'x'.repeat(1024 * 1024) }))).text).toContain('at most 1048576');
    expect((await run('echo', '{"path": "a')).text).toMatch(/^echo: the arguments are not valid JSON/);
    expect(await run('echo', `{"path":"${'['.repeat(100)}"}`)).toEqual({ text: `{"path":"${'['.repeat(100)}"}`, isError: false });
  });

  test.each([
    ['functions.echo', '{"path":"a"}'],
    ['Echo', '{"file_path":"a"}'],
    ['ECHO', '{"filePath":"a","times":null}'],
    ['echo', '{"path":"a","description":"why"}'],
  ])('G6-25 %s %s means the tool', async (name, raw) => {
    expect(await run(name, raw)).toEqual({ text: '{"path":"a"}', isError: false });
  });

  test('numbers and booleans as text are taken as meant', async () => {
    expect((await run('echo', '{"path":"7","times":"3","loud":"True"}')).text).toBe('{"path":"7","times":3,"loud":true}');
  });

  test('an alias never stands against a field that was given', async () => {
    expect((await run('echo', '{"path":"a","file_path":"b"}')).text).toContain('"file_path" is not a field');
  });

  test('canonicalCall shows permission rules the call that will run', () => {
    const call = { id: 'c', name: 'str_replace', arguments: '{"file_path":"a","oldString":"x","new_str":"y"}' };
    expect(canonicalCall(call, hostToolDefinitions())).toEqual({
      id: 'c',
      name: 'edit_file',
      arguments: '{"path":"a","old_string":"x","new_string":"y"}',
    });
  });

  test('[spec 5.4 Execute] a tool that throws is a result that names the tool', async () => {
    const broken = { ...echo, execute: () => Promise.reject(new Error('it broke')) };
    expect(await run('echo', '{"path":"a"}', registryOf(broken))).toEqual({ text: 'echo: it broke', isError: true });
  });

  test('[spec 5.4 Execute] [spec 003 BaseTool.Execute] a tool may answer with a text alone, as the specification has it', async () => {
    expect(await run('echo', '{}', registryOf({ ...echo, execute: async () => 'plain' }))).toEqual({
      text: 'plain',
      isError: false,
    });
    const told = defineTool({
      name: 'told',
      description: 'd',
      place: 'host',
      effect: 'read',
      schema: z.object({}),
      run: async () => 'x',
    });
    expect(await run('told', '{}', registryOf(told))).toEqual({ text: 'x', isError: false });
  });

  test.each([
    undefined,
    null,
    7,
    {},
    [],
    { output: 7, isError: false },
    { output: [{ type: 'text' }], isError: true },
    { isError: true },
  ])('a tool that answers with %j is a result that says so, never a rejection', async (value) => {
    const broken = { ...echo, execute: async () => value };
    const registry = createRegistry();
    Reflect.apply(registry.register, undefined, [broken]);
    const neither = 'echo: the tool answered with neither a text nor a result.';
    expect(await run('functions.echo', '{}', registry)).toEqual({ text: neither, isError: true });
  });

  test('D9 output of any tool is cut in the middle, and what is missing is said', async () => {
    const flood = { ...echo, execute: async () => success(`start${'ä'.repeat(500_000)}end`) };
    const { text } = await run('echo', '{}', registryOf(flood));
    expect(Buffer.byteLength(text)).toBeLessThan(51_000);
    expect(text).toMatch(/^startä+\n\[… 950\d{3} bytes omitted …\]\nä+end$/);
  });

  test('a tool gets the id of its call beside what the caller handed down', async () => {
    const contexts: unknown[] = [];
    const watch = { ...echo, execute: async (_args: unknown, context: unknown) => String(contexts.push(context)) };
    const context = { signal, run: { [Symbol('span')]: 1 } };
    await registryOf(watch).execute({ id: 'c7', name: 'echo', arguments: '{}' }, context);
    expect(contexts).toEqual([{ ...context, callId: 'c7' }]);
  });

  test('a call that is cancelled before it begins does nothing', async () => {
    const result = await registryOf(echo).execute(
      { id: 'c', name: 'echo', arguments: '{"path":"a"}' },
      { signal: AbortSignal.abort() },
    );
    expect(result).toEqual({
      toolCallId: 'c',
      output: [{ type: 'text', text: 'echo: cancelled before it began.' }],
      isError: true,
    });
  });
});
