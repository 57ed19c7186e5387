import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { inputDefaults, parseInputs, unknownInputs } from '../../src/action/inputs.ts';
import { Harness9Error } from '../../src/schema/error.ts';

const actionYml = z
  .object({ inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string().optional() })) })
  .parse(parse(readFileSync(path.join(import.meta.dirname, '../../action.yml'), 'utf8')));

const token = { INPUT_GITHUB_TOKEN: 'ghs_token' };

function problemsOf(env: Readonly<Record<string, string>>): string {
  try {
    parseInputs({ ...token, ...env });
  } catch (error) {
    if (error instanceof Harness9Error && error.code === 'INPUT_INVALID') return error.message;
    throw error;
  }
  return '';
}

describe('inputs', () => {
  test('are those of action.yml, with its defaults', () => {
    const declared = Object.fromEntries(Object.entries(actionYml.inputs).map(([name, input]) => [name, input.default ?? '']));
    // The token's default is an expression that the runner evaluates.
    expect({ ...declared, github_token: '' }).toEqual(inputDefaults);
  });

  test('left out have their defaults', () => {
    const settings = parseInputs(token);
    expect(settings.gate).toMatchObject({
      triggerPhrases: ['@harness9'],
      maxTurns: 50,
      timeoutMs: 1_800_000,
      createPr: 'draft',
      pushToPr: true,
    });
    expect(settings.agent).toMatchObject({ provider: 'auto', sandbox: 'auto', instructionsFiles: ['AGENTS.md'], apiKey: null });
    expect(settings.failOn).toEqual(['error']);
  });

  test('that are wrong are all reported at once, each with its name, the value seen and what is expected', () => {
    expect(
      problemsOf({ INPUT_MAX_TURNS: 'many', INPUT_CREATE_PR: 'yes', INPUT_PROVIDER: 'gemini', INPUT_TIMEOUT_MINUTES: '0' }).split(
        '\n',
      ),
    ).toEqual([
      'input `max_turns`: "many", expected a whole number of at least 0',
      'input `timeout_minutes`: "0", expected a whole number of at least 1',
      'input `create_pr`: "yes", expected one of draft, ready, link, none',
      'input `provider`: "gemini", expected one of auto, openai, anthropic, scripted',
    ]);
  });

  test.each(['allowed_bots', 'allowed_users', 'allowed_non_write_users'])('%s takes exact names, no wildcard (A4)', (name) => {
    expect(problemsOf({ [`INPUT_${name.toUpperCase()}`]: 'renovate[bot], *' })).toContain(`input \`${name}\`: "*"`);
  });

  test('required_permission `none` lets nobody in without a prompt', () => {
    const env = { INPUT_REQUIRED_PERMISSION: 'none' };
    expect(problemsOf(env)).toContain('input `required_permission`: "none", expected a `prompt` beside it');
    expect(problemsOf({ ...env, INPUT_PROMPT: 'Sort it.' })).toBe('');
  });

  test('a missing token names the input', () => {
    expect(() => parseInputs({})).toThrow(/input `github_token`: nothing given/);
  });

  test('lists are split at commas and line ends, and trimmed', () => {
    expect(parseInputs({ ...token, INPUT_ALLOWED_BOTS: ' a[bot],\n b[bot] ,,' }).gate.allowedBots).toEqual(['a[bot]', 'b[bot]']);
  });

  test('that do not exist are warned about, with the nearest name where one is near', () => {
    expect(unknownInputs({ ...token, INPUT_MAX_TURN: '3', INPUT_NEW_MODES: 'true', PATH: '/bin' })).toEqual([
      'input `max_turn` does not exist; did you mean `max_turns`?',
      'input `new_modes` does not exist; the README lists those that do',
    ]);
  });

  test.each([
    ['TRIGGER_PHRASE', ' , ', 'input `trigger_phrase`: nothing given'],
    ['TIMEOUT_MINUTES', '99999999', 'input `timeout_minutes`: "99999999", expected at most 7200'],
  ])('%s that would break later is refused', (name, value, message) => {
    expect(problemsOf({ [`INPUT_${name}`]: value })).toContain(message);
  });
});
