import { describe, expect, test } from '@jest/globals';
import { parseArguments } from '../../src/cli/arguments.ts';

const parse = (...args: readonly string[]) => parseArguments(args, '1.2.3');

describe('the command line', () => {
  test('takes the prompt after -p, and every option', () => {
    expect(
      parse('-p', 'do it', '--provider', 'openai', '--model', 'm', '--max-turns', '0', '--sandbox', 'none', '--cwd', 'x'),
    ).toEqual({
      kind: 'print',
      options: { prompt: 'do it', provider: 'openai', model: 'm', maxTurns: 0, sandbox: 'none', cwd: 'x' },
    });
  });

  test('without a prompt leaves it to piped input, and has the defaults', () => {
    expect(parse('-p')).toEqual({
      kind: 'print',
      options: { prompt: null, provider: 'auto', model: null, maxTurns: 50, sandbox: 'auto', cwd: null },
    });
  });

  test('answers --help and --version', () => {
    expect(parse('--version')).toEqual({ kind: 'text', text: '1.2.3\n' });
    expect(parse('--help')).toMatchObject({ kind: 'text', text: expect.stringContaining('--max-turns <n>') });
  });

  test.each([
    [['-p', 'x', '--max-turns', 'many'], '--max-turns "many": expected a whole number, 0 for no limit'],
    [['-p', 'x', '--provider', 'gemini'], '--provider "gemini": expected one of auto, openai, anthropic, scripted'],
    [['-p', 'x', '--sandbox', 'jail'], '--sandbox "jail": expected one of auto, process, readonly, none'],
    [['-p', 'fix', 'it'], '"it": expected one prompt; put it in quotes'],
  ])('%j is refused with a message that names the value', (args, message) => {
    expect(() => parseArguments(args, '1')).toThrow(message);
  });

  test('an unknown flag is a usage error', () => {
    expect(() => parse('--modell', 'x')).toThrow(expect.objectContaining({ code: 'CLI_USAGE' }));
  });
});
