// The names that models of other harnesses use, and what they come to here.
import { describe, expect, test } from '@jest/globals';
import type { ToolDefinition } from '../../src/schema/message.ts';
import { canonicalCall } from '../../src/tools/canonical-call.ts';
import { hostToolDefinitions } from '../../src/tools/host-tools.ts';
import { createRandom } from './random.ts';

/** All its fields but one may be left out, and have other names. */
const findTool: ToolDefinition = {
  name: 'find',
  description: '',
  inputSchema: {
    type: 'object',
    properties: { pattern: { type: 'string' }, path: { type: 'string' }, offset: { type: 'integer' }, glob: { type: 'boolean' } },
    required: ['pattern'],
  },
  place: 'host',
  effect: 'read',
};

function canonical(name: string, args: object | string = {}): [string, unknown] {
  const raw = typeof args === 'string' ? args : JSON.stringify(args);
  const call = canonicalCall({ id: 'c', name, arguments: raw }, hostToolDefinitions());
  return [call.name, typeof args === 'string' ? call.arguments : JSON.parse(call.arguments)];
}

describe('G6-25 a tool by another name', () => {
  test.each([
    ['bash', 'functions.bash Bash BASH shell sh terminal run_command runCommand execute_command execute-bash tools:bash'],
    ['bash', 'run_terminal_cmd run_in_terminal run_shell_command exec_command'],
    ['read_file', 'Read read view cat ReadFile readFile read-file open_file functions.read_file default_api.Read view_image'],
    ['write_file', 'Write write create_file createFile WriteFile write_to_file create_new_file'],
    ['edit_file', 'Edit edit str_replace StrReplace replace replace_in_file EditFile functions.Edit MultiEdit multi_edit'],
    ['edit_file', 'StrReplaceFile replace_string_in_file search_replace single_find_and_replace'],
  ])('is %s: %s', (tool, names) => {
    for (const name of names.split(' ')) expect([name, canonical(name)[0]]).toEqual([name, tool]);
  });

  test.each([
    '',
    ' ',
    '.',
    'functions.',
    'functions.functions.bash',
    'rm',
    'bash2',
    '../../etc',
    '__proto__',
    'constructor',
    'toString',
    'todo',
  ])('is none: %j', (name) => {
    expect(canonical(name, '{"path":"a"}')).toEqual([name, '{"path":"a"}']);
  });
});

describe('G6-25 a field by another name', () => {
  test.each([
    ['Read', { file_path: 'a' }, { path: 'a' }],
    ['read_file', { filePath: 'a', offset: '3' }, { path: 'a', offset: 3 }],
    ['edit_file', { path: 'a', oldString: 'x', newString: 'y' }, { path: 'a', old_string: 'x', new_string: 'y' }],
    [
      'Edit',
      { target_file: 'a', old_str: 'x', new_text: 'y', replaceAll: 'true' },
      { path: 'a', old_string: 'x', new_string: 'y', replace_all: true },
    ],
    ['create_file', { filename: 'a', file_text: 'x' }, { path: 'a', content: 'x' }],
    ['shell', { cmd: 'ls', timeoutSecs: 5, explanation: 'to look' }, { command: 'ls', timeout_secs: 5 }],
    ['run_terminal_cmd', { CommandLine: 'ls', timeout_sec: '5' }, { command: 'ls', timeout_secs: 5 }],
    ['ReadFile', { absolute_path: 'a', line_offset: 3, n_lines: 4 }, { path: 'a', offset: 3, limit: 4 }],
    ['read_file', { TargetFile: 'a', StartLine: 3, EndLine: 4 }, { path: 'a', offset: 3, limit: 2 }],
    ['read_file', { path: 'a', start_line: '3' }, { path: 'a', offset: 3 }],
    ['read_file', { path: 'a', endLine: 7, startLine: null }, { path: 'a', offset: 1, limit: 7 }],
    ['read_file', { path: 'a', view_range: [3, 3] }, { path: 'a', offset: 3, limit: 1 }],
    ['view', { path: 'a', view_range: [3, -1] }, { path: 'a', offset: 3 }],
    ['create_new_file', { filepath: 'a', file_content: 'x' }, { path: 'a', content: 'x' }],
    ['write_to_file', { path: 'a', contents: 'x', encoding: 'utf-8' }, { path: 'a', content: 'x' }],
    [
      'Grep',
      { pattern: 'a', output_mode: 'content', '-n': true, '-i': true, '-C': 2, multiline: false },
      { pattern: 'a', ignore_case: true, context: 2 },
    ],
    [
      'replace',
      { file_path: 'a', old_text: 'x', new_content: 'y', expected_replacements: 1, instruction: 'why' },
      { path: 'a', old_string: 'x', new_string: 'y' },
    ],
  ])('%s %j is %j', (name, args, meant) => {
    expect(canonical(name, args)[1]).toEqual(meant);
  });

  test.each([
    ['a field that is given already', 'read_file', { path: 'a', file_path: 'b' }],
    ['a field of no tool', 'read_file', { path: 'a', mode: 'r' }],
    ['a field of another tool', 'bash', { command: 'ls', path: 'a' }],
    ['lines beside an offset', 'read_file', { path: 'a', offset: 1, start_line: 3 }],
    ['lines in the wrong order', 'read_file', { path: 'a', start_line: 3, end_line: 2 }],
    ['a line that is none', 'read_file', { path: 'a', start_line: 0 }],
    ['a line that is no number', 'read_file', { path: 'a', start_line: 'first', end_line: 2 }],
    ['lines given twice', 'read_file', { path: 'a', view_range: [1, 2], start_line: 1 }],
    ['a range that is none', 'read_file', { path: 'a', view_range: [1] }],
    ['lines of another tool', 'write_file', { path: 'a', content: 'x', start_line: 3 }],
    ['several replacements', 'edit_file', { path: 'a', old_string: 'x', new_string: 'y', expected_replacements: 2 }],
    ['another encoding', 'write_file', { path: 'a', content: 'x', encoding: 'latin1' }],
    ['another kind of answer', 'grep', { pattern: 'a', output_mode: 'count', '-n': false, '-A': 2, multiline: true }],
    ['milliseconds', 'bash', { command: 'ls', timeout: 5000 }],
  ])('%s stays as it is', (_name, tool, args) => {
    expect(canonical(tool, args)[1]).toEqual(args);
  });

  test('what is left out by one name may be given by another', () => {
    const args = { command: 'ls', timeout_secs: null, timeoutSecs: null, timeout_seconds: '5', TimeoutSecs: 7 };
    expect(canonical('bash', args)[1]).toEqual({ command: 'ls', timeout_secs: 5, TimeoutSecs: 7 });
  });

  test('the fields of other makers’ tools are theirs: a null that says something stays, and so does what may have any name', () => {
    const of = (inputSchema: ToolDefinition['inputSchema'], args: object): unknown => {
      const tool = { ...findTool, name: 'mcp__s__t', inputSchema: { type: 'object', ...inputSchema } };
      return JSON.parse(canonicalCall({ id: 'c', name: tool.name, arguments: JSON.stringify(args) }, [tool]).arguments);
    };
    const kinds = [
      { type: ['string', 'null'] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { type: 'string', nullable: true },
      {},
    ];
    for (const assignee of kinds) expect(of({ properties: { assignee } }, { assignee: null })).toEqual({ assignee: null });
    expect(of({ properties: { assignee: { type: 'string' } } }, { assignee: null })).toEqual({});
    const said = { description: 'x', query: 'y', pattern: 1 };
    const pattern = { pattern: { type: 'integer' } };
    expect(of({ properties: pattern }, said)).toEqual({ query: 'y', pattern: 1 });
    expect(of({ properties: pattern, additionalProperties: false }, said)).toEqual({ query: 'y', pattern: 1 });
    expect(of({ properties: pattern, additionalProperties: {} }, said)).toEqual(said);
    expect(of({ properties: {}, additionalProperties: true }, said)).toEqual(said);
    expect(of({ properties: {} }, said)).toEqual(said);
  });

  test('what is canonical stays so, whatever it is: rules must judge the very call that runs', () => {
    const random = createRandom(7);
    const names = [
      'path',
      'file_path',
      'filePath',
      'file',
      'pattern',
      'query',
      'glob',
      'offset',
      'Offset',
      'reason',
      'x',
      '__proto__',
      'start_line',
      'endLine',
      'view_range',
      'limit',
      'encoding',
    ];
    const pages = { properties: { path: { type: 'string' }, offset: { type: 'integer' }, limit: { type: 'integer' } } };
    const values = [[1, 2], 'utf8', null, 'a', 'b', '3', 'true', 4, true, {}];
    const withSchema = (more: object): ToolDefinition => ({ ...findTool, inputSchema: { ...findTool.inputSchema, ...more } });
    const nullable = { path: { type: ['string', 'null'] }, pattern: {}, offset: { type: 'integer', nullable: true } };
    const variants = [{ additionalProperties: true }, { properties: nullable }, { properties: {} }].map(withSchema);
    for (let round = 0; round < 5000; round += 1) {
      const args = Array.from({ length: random.below(6) }, () => [random.pick(names), random.pick(values)]);
      const call = { id: 'c', name: random.pick(['find', 'Find']), arguments: JSON.stringify(Object.fromEntries(args)) };
      const tool = random.pick([findTool, ...variants, { ...findTool, name: 'read_file', inputSchema: pages }]);
      const once = canonicalCall({ ...call, name: tool.name === 'find' ? call.name : 'Read' }, [tool]);
      expect(canonicalCall(once, [tool])).toBe(once);
    }
  });
});
