import { describe, expect, test } from '@jest/globals';
import { outputFormatOf, parseArguments } from '../../src/cli/arguments.ts';

const parse = (...args: readonly string[]) => parseArguments(args, '1.2.3');

const noEdges = {
  allowedTools: null,
  disallowedTools: null,
  permissionRules: null,
  hooks: null,
  mcpConfig: null,
  verifyCommand: null,
  verifyAttempts: 2,
  otelEndpoint: null,
  otelContent: false,
};

const defaults = {
  prompt: null,
  format: 'text',
  session: { kind: 'new' },
  mode: 'default',
  provider: 'auto',
  model: null,
  maxTurns: 50,
  maxTokensTotal: null,
  maxCostUsd: null,
  sandbox: 'auto',
  edges: noEdges,
  outputSchema: null,
  transcript: null,
  reasoningEffort: null,
  fallbackModels: [],
  allowInsecureEndpoint: false,
  cwd: null,
};

/** `-p`, and a format for programs, say that nobody is there to be asked. */
const mayAsk = (args: readonly string[]) => !/(^|,)(-p|--print)(,|$)|json/.test(args.join());

describe('the command line of one shot', () => {
  test.each<[readonly string[], object]>([
    [[], {}],
    [['-p'], {}],
    [['-p', 'do it'], { prompt: 'do it' }],
    [['do it', '--print'], { prompt: 'do it' }],
    [['-p', '--', '--modell'], { prompt: '--modell' }],
    [['--', 'sessions'], { prompt: 'sessions' }],
    [['-p', 'sessions'], { prompt: 'sessions' }],
    [['-p', 'x', '--provider', 'openai', '--model', 'm'], { prompt: 'x', provider: 'openai', model: 'm' }],
    [['-p', 'x', '--model=-m'], { prompt: 'x', model: '-m' }],
    [['-p', 'x', '--model', 'a', '--model', 'b'], { prompt: 'x', model: 'b' }],
    [['-p', 'x', '--max-turns', '0', '--sandbox', 'none', '--cwd', 'y'], { prompt: 'x', maxTurns: 0, sandbox: 'none', cwd: 'y' }],
    [
      ['-p', 'x', '--max-tokens-total', '90000', '--max-cost-usd', '0.5'],
      { prompt: 'x', maxTokensTotal: 90_000, maxCostUsd: 0.5 },
    ],
    [['-p', 'x', '--max-tokens-total', '0', '--max-cost-usd', '0'], { prompt: 'x' }],
    [['-p', 'x', '--output-format', 'stream-json'], { prompt: 'x', format: 'stream-json' }],
    [['--output-format=json', 'x'], { prompt: 'x', format: 'json' }],
    [['-p', 'x', '--plan'], { prompt: 'x', mode: 'plan' }],
    [['-p', 'x', '--plan', '--mode', 'plan'], { prompt: 'x', mode: 'plan' }],
    [['-p', 'x', '--mode', 'auto_edit'], { prompt: 'x', mode: 'auto_edit' }],
    [['-p', 'x', '--mode', 'accept_edits'], { prompt: 'x', mode: 'accept_edits' }],
    [['-p', 'x', '--continue'], { prompt: 'x', session: { kind: 'continue' } }],
    [['-p', 'x', '--no-session'], { prompt: 'x', session: { kind: 'none' } }],
    [['-p', 'x', '--reasoning-effort', 'high'], { prompt: 'x', reasoningEffort: 'high' }],
    [['-p', 'x', '--fallback-models', ' a, openai/b ,,'], { prompt: 'x', fallbackModels: ['a', 'openai/b'] }],
    [['-p', 'x', '--fallback-models', 'a', '--fallback-models=b'], { prompt: 'x', fallbackModels: ['a', 'b'] }],
    [['-p', 'x', '--allow-insecure-endpoint'], { prompt: 'x', allowInsecureEndpoint: true }],
    [['-p', 'x', '--transcript', 'run.jsonl'], { prompt: 'x', transcript: 'run.jsonl' }],
    [['-p', 'x', '--output-schema', ' {"type":"object"}\n'], { prompt: 'x', outputSchema: '{"type":"object"}' }],
    [['-p', 'x', '--hooks', '/h.yaml'], { prompt: 'x', edges: { ...noEdges, hooks: '/h.yaml' } }],
    [['-p', 'x', '--mcp-config', ' {"a":1}\n'], { prompt: 'x', edges: { ...noEdges, mcpConfig: '{"a":1}' } }],
    [['-p', 'try'], { prompt: 'try' }],
    [['--', 'doctor'], { prompt: 'doctor' }],
    [['-p', 'help'], { prompt: 'help' }],
    [['-p', 'true'], { prompt: 'true' }],
    [['--plan', '--', 'false'], { prompt: 'false', mode: 'plan' }],
    [['try it once more'], { prompt: 'try it once more' }],
    [['-p', '--', '- fix a\n- fix b'], { prompt: '- fix a\n- fix b' }],
    [['修复这个错误'], { prompt: '修复这个错误' }],
  ])('%j', (args, options) => {
    expect(parse(...args)).toEqual({ kind: 'print', options: { ...defaults, mayAsk: mayAsk(args), ...options } });
  });

  test.each<[readonly string[], string | null, string | null]>([
    [['--resume', '0123abcd', 'go on'], '0123abcd', 'go on'],
    [['-p', '--resume', '0123abcd', 'go on'], '0123abcd', 'go on'],
    [['-p', 'go on', '--resume', '0123abcd'], '0123abcd', 'go on'],
    [['-p', '--resume=0123abcd', 'go on'], '0123abcd', 'go on'],
    [['-p', '--resume', 'not-an-id', 'go on'], 'not-an-id', 'go on'],
    [['-p', '--resume', '0123abcd'], '0123abcd', null],
    [['-p', '--resume', '01ab'], '01ab', null],
    [['-p', '--resume', '0123ABCD'], '0123abcd', null],
    [['-p', '--resume=0123ABCD', 'go on'], '0123abcd', 'go on'],
    [['-p', '--resume', '0123abcO'], '0123abco', null],
    [['-p', '--resume', '修复bug2'], null, '修复bug2'],
    [['-p', '--resume', 'go on'], null, 'go on'],
    [['-p', '--resume', 'continue'], null, 'continue'],
    [['--resume', '-p', '0123abcd'], null, '0123abcd'],
    [['-p', 'go on', '--resume'], null, 'go on'],
    [['--resume', '--', '0123abcd'], null, '0123abcd'],
    [['--resume', '--model', 'm', 'go on'], null, 'go on'],
  ])('%j tells the id %j from the prompt %j', (args, id, prompt) => {
    expect(parse(...args)).toMatchObject({ kind: 'print', options: { prompt, session: { kind: 'resume', id } } });
  });
});

describe('the command line of sessions', () => {
  test.each<[readonly string[], object]>([
    [[], { command: { name: 'list', all: false, tag: null } }],
    [['list', '--all', '--output-format', 'json'], { command: { name: 'list', all: true, tag: null }, format: 'json' }],
    [['--tag', ' two  words '], { command: { name: 'list', all: false, tag: 'two words' } }],
    [['show', 'a1b2', '--cwd', 'x'], { command: { name: 'show', id: 'a1b2' }, cwd: 'x' }],
    [['search', 'two', 'words', '--all'], { command: { name: 'search', words: 'two words', all: true } }],
    [['tag', 'a1b2', 'x', 'y'], { command: { name: 'tag', id: 'a1b2', tags: ['x', 'y'] } }],
    [['tag', ' A1B2 ', 'two\nlines', '--', '--dash'], { command: { name: 'tag', id: 'a1b2', tags: ['two lines', '--dash'] } }],
    [['tag', 'a1b2'], { command: { name: 'tag', id: 'a1b2', tags: [] } }],
    [['pop', 'a1b2'], { command: { name: 'pop', id: 'a1b2' } }],
    [['clear', 'a1b2'], { command: { name: 'clear', id: 'a1b2' } }],
    [['delete', 'a1b2'], { command: { name: 'delete', id: 'a1b2' } }],
  ])('%j', (args, options) => {
    const expected = { kind: 'sessions', options: { format: 'text', cwd: null, ...options } };
    expect(parse('sessions', ...args)).toEqual(expected);
  });

  test('may have flags before', () => {
    expect(parse('--cwd', 'x', 'sessions')).toMatchObject({ kind: 'sessions', options: { cwd: 'x' } });
  });
});

test('help, also among what is wrong, and version are answered', () => {
  for (const args of [['--version'], ['version']]) expect(parse(...args)).toEqual({ kind: 'text', text: '1.2.3\n' });
  for (const args of [['--help'], ['-h'], ['help'], ['sessions', '--help'], ['try', '--help'], ['-p', 'a', 'b', '-h']])
    expect(parse(...args)).toMatchObject({ kind: 'text', text: expect.stringContaining('--max-turns <n>') });
});

describe('what is wrong', () => {
  test.each<[readonly string[], string]>([
    [['-p', 'x', '--max-turns', 'many'], '--max-turns "many": expected a whole number, 0 for no limit'],
    [['-p', 'x', '--max-tokens-total', '9k'], '--max-tokens-total "9k": expected a whole number, 0 for no limit'],
    [['-p', 'x', '--max-cost-usd', '$2'], '--max-cost-usd "$2": expected US dollars such as 0.50, 0 for no limit'],
    [['-p', 'x', '--max-turns', '-1'], '--max-turns: expected a value after it'],
    [['-p', 'x', '--provider', 'gemini'], '--provider "gemini": expected one of auto, openai, anthropic, scripted'],
    [['-p', 'x', '--sandbox', 'jail'], '--sandbox "jail": expected one of auto, process, readonly, none'],
    [['-p', 'x', '--output-format', 'xml'], '--output-format "xml": expected one of text, json, stream-json'],
    [
      ['-p', 'x', '--reasoning-effort', 'huge'],
      '--reasoning-effort "huge": expected one of none, minimal, low, medium, high, xhigh, max',
    ],
    [['-p', 'x', '--mode', 'yolo'], '--mode "yolo": expected one of default, plan, auto_edit, accept_edits'],
    [['-p', 'x', '--plan', '--mode', 'default'], '--plan and --mode "default": expected one of them'],
    [['-p', 'x', '--continue', '--resume'], '--resume and --continue: expected one of them'],
    [['-p', 'x', '--no-session', '--continue'], '--continue and --no-session: expected one of them'],
    [['-p', 'fix', 'it'], '"it": expected one prompt; put it in quotes'],
    [['-p', 'x', '--model'], '--model: expected a value after it'],
    [['-p', 'x', '--model', '--plan'], '--model: expected a value after it'],
    [['-p', 'x', '--model', ''], '--model "": expected a value'],
    [['-p', 'x', '--cwd='], '--cwd "": expected a value'],
    [['-p', 'x', '--output-format', ' '], '--output-format " ": expected a value'],
    [['-p', 'x', '--resume='], '--resume "": expected a value'],
    [['-p', 'x', '--resume', ''], '--resume "": expected the id of a session'],
    [['-p', '--resume', 'a1b', 'go on'], '--resume "a1b": expected the id of a session, or its first 4 characters and more'],
    [['-p', 'x', '--plan=yes'], '--plan "yes": this flag takes no value'],
    [['-p', 'x', '--plan', 'true'], '--plan "true": this flag takes no value'],
    [['--no-session', 'False'], '--no-session "False": this flag takes no value'],
    [['--modell', 'x'], 'unknown flag "--modell"; the nearest is --model'],
    [['--constructor'], 'unknown flag "--constructor"; the nearest is --'],
    [['-x'], 'unknown flag "-x"; the nearest is --'],
    [['-p', 'x', '--all'], 'unknown flag "--all"; the nearest is --'],
    [['sesions'], 'unknown subcommand "sesions"; the nearest is "sessions"'],
    [['session', 'list'], 'unknown subcommand "session"; the nearest is "sessions"'],
    [['try'], 'the subcommand "try" is not in this version (as a prompt: harness9 -p "try")'],
    [['init', '--model', 'm'], 'the subcommand "init" is not in this version'],
    [['doctor'], 'the subcommand "doctor" is not in this version'],
    [['replay', 'a1b2'], 'the subcommand "replay" is not in this version'],
    [['sessions', 'lst'], 'unknown subcommand "lst" of sessions; the nearest is "list"'],
    [['sessions', 'list', 'x'], 'sessions list "x": expected nothing after it'],
    [['sessions', 'show'], 'sessions show: expected the id of a session after it'],
    [['sessions', 'show', ''], 'sessions show: expected the id of a session after it'],
    [['sessions', 'search'], 'sessions search: expected words after it'],
    [['sessions', 'pop', 'a1b2', 'b'], 'sessions pop a1b2 "b": expected one id'],
    [['sessions', 'delete', 'a'], 'sessions delete "a": expected the id of a session, or its first 4 characters and more'],
    [['sessions', 'tag', 'a1b2', ''], 'sessions tag "": expected a tag'],
    [['sessions', 'tag', 'a1b2', 'x', ' \n'], 'sessions tag " \n": expected a tag'],
    [['sessions', 'list', '--tag', '\u200b'], '--tag "\u200b": expected a tag'],
    [['sessions', 'show', 'a1b2', '--tag', 'x'], '--tag "x": only sessions list takes it'],
    [['-p', 'x', '--tag', 'x'], 'unknown flag "--tag"'],
    [['sessions', 'pop', 'a1b2', '--all'], '--all: sessions pop is about one conversation'],
    [['sessions', '--model', 'm'], 'unknown flag "--model"; the nearest is --'],
    [['sessions', '--output-format', 'stream-json'], '--output-format "stream-json": expected one of text, json'],
  ])('%j is a usage error that names it', (args, message) => {
    expect(() => parse(...args)).toThrow(
      expect.objectContaining({ code: 'CLI_USAGE', message: expect.stringContaining(message) }),
    );
  });
});

test.each<[readonly string[], string]>([
  [[], 'text'],
  [['--output-format'], 'text'],
  [['--output-format', 'xml'], 'text'],
  [['--nonsense', '--output-format', 'json', 'a', 'b'], 'json'],
  [['--output-format', 'text', '--output-format=stream-json'], 'stream-json'],
  [['-p', '--', '--output-format', 'json'], 'text'],
  [['-p', '--output-format', 'json', '--', '--output-format=text'], 'json'],
])('the format of %j is known though the line is wrong: %s', (args, format) => {
  expect(outputFormatOf(args)).toBe(format);
});

test.each(['- fix a\n- fix b', '-x', '--- a/file'])('a prompt like %j is told where it may stand', (prompt) => {
  expect(() => parse('-p', prompt)).toThrow(expect.objectContaining({ hint: expect.stringContaining('harness9 -p -- "') }));
  expect(parse('-p', '--', prompt)).toMatchObject({ options: { prompt } });
});
