import { describe, expect, test } from '@jest/globals';
import type { OutputFormat } from '../../src/cli/every-command.ts';
import { createReporter, exitCodeOf } from '../../src/cli/report.ts';
import { Harness9Error } from '../../src/schema/error.ts';
import { noUsage } from '../../src/schema/message.ts';
import { type EngineEvent, type RunResult, stopReasonSchema } from '../../src/schema/run.ts';

const key = 'key-0123456789';
const result: RunResult = { stopReason: 'completed', finalMessage: `it is ${key}`, turns: 1, usage: noUsage, durationMs: 1 };
const error = { code: 'PROVIDER_AUTH', message: `wrong key ${key}`, hint: 'Set another.' };

function report(format: OutputFormat) {
  const said = { stdout: '', stderr: '' };
  const output = {
    stdout: (text: string) => {
      said.stdout += text;
    },
    stderr: (text: string) => {
      said.stderr += text;
    },
  };
  const redact = (text: string) => text.replaceAll(key, '***');
  return { said, reporter: createReporter(format, output, { env: {}, redact }) };
}

const never = new AbortController().signal;
const usage = new Harness9Error({ code: 'CLI_USAGE', message: '--max-turns "many": no number', hint: 'See --help.' });
const nothing = { finalMessage: '', turns: 0, usage: noUsage, durationMs: 0 };

describe('a result', () => {
  test.each<[OutputFormat, RunResult, string, string]>([
    ['text', result, 'it is ***\n', ''],
    ['text', { ...result, finalMessage: '', stopReason: 'error', error }, '', 'wrong key ***\nSet another.\n'],
    ['text', { ...result, notes: ['Not saved.', 'b'], error }, 'it is ***\n', 'Not saved.\nb\nwrong key ***\nSet another.\n'],
    [
      'text',
      {
        ...result,
        fallbacks: [{ from: 'a', to: 'b', why: 'overloaded, status 503' }],
        cost: { usd: 0.48, unpricedModels: ['b'] },
      },
      'it is ***\n',
      'b took over from a (overloaded, status 503)\ncost: more than $0.48, no price for b\n',
    ],
    ['text', { ...result, structuredOutput: { a: [key, 1] } }, '{"a":["***",1]}\n', ''],
    ['text', { ...result, structuredOutput: null }, 'null\n', ''],
    [
      'json',
      { ...result, structuredOutput: [key] },
      `${JSON.stringify({ ...result, finalMessage: 'it is ***', structuredOutput: ['***'] })}\n`,
      '',
    ],
    ['json', result, `${JSON.stringify({ ...result, finalMessage: 'it is ***' })}\n`, ''],
    [
      'json',
      { ...result, stopReason: 'error', error },
      `${JSON.stringify({ ...result, stopReason: 'error', finalMessage: 'it is ***', error: { ...error, message: 'wrong key ***' } })}\n`,
      'wrong key ***\nSet another.\n',
    ],
  ])('as %s', (format, given, stdout, stderr) => {
    const { said, reporter } = report(format);
    reporter.result(given);
    expect(said).toEqual({ stdout, stderr });
  });
});

test.each<[Partial<RunResult>, string]>([
  [{ stopReason: 'max_turns' }, 'stopped at the limit of turns (--max-turns)'],
  [{ stopReason: 'budget', budget: 'tokens' }, 'stopped at the budget in tokens (--max-tokens-total)'],
  [{ stopReason: 'budget', budget: 'usd' }, 'stopped at the budget in dollars (--max-cost-usd)'],
  [{ stopReason: 'repetition' }, 'stopped because the same step was repeated without getting further'],
  [{ stopReason: 'timeout' }, 'stopped at the time limit'],
])('%j is told by its flag, though the model has had the last word', (more, line) => {
  const { said, reporter } = report('text');
  reporter.result({ ...result, ...more });
  expect(said).toEqual({ stdout: 'it is ***\n', stderr: `${line}\n` });
});

test('events are one line each, as the engine has them', () => {
  const events: readonly EngineEvent[] = [
    { type: 'token_update', turn: 1, data: { kind: 'estimated', tokens: 9, contextWindow: 0 } },
    { type: 'thinking_delta', turn: 1, data: 'hm' },
    { type: 'action_delta', turn: 1, data: 'Hello\nthere' },
    { type: 'tool_start', turn: 1, data: { id: '1', name: 'bash', arguments: '{"command":"ls"}' } },
    { type: 'todo_update', turn: 1, data: [{ id: '1', content: 'x', status: 'pending' }] },
    { type: 'approval_required', turn: 1, data: { call: { id: '1', name: 'bash', arguments: '{}' }, reason: 'auto_edit' } },
    { type: 'subagent_update', turn: 1, data: { callId: '1', agent: 'reviewer', isBackground: true, state: 'started' } },
    { type: 'error', turn: 1, data: { ...result, finalMessage: '', stopReason: 'error', error: { code: 'A', message: 'b' } } },
  ];
  const { said, reporter } = report('stream-json');
  for (const event of events) reporter.event(event);
  expect(said).toEqual({ stdout: events.map((event) => `${JSON.stringify(event)}\n`).join(''), stderr: 'b\n' });
});

describe('a run that did not begin', () => {
  const failed: RunResult = {
    stopReason: 'error',
    ...nothing,
    error: { code: usage.code, message: usage.message, hint: 'See --help.' },
  };

  test.each<[OutputFormat, string]>([
    ['text', ''],
    ['json', `${JSON.stringify(failed)}\n`],
    ['stream-json', `${JSON.stringify({ type: 'error', turn: 0, data: failed })}\n`],
  ])('as %s', (format, stdout) => {
    const { said, reporter } = report(format);
    expect(exitCodeOf(reporter.failure(usage, never))).toBe(2);
    expect(said).toEqual({ stdout, stderr: 'harness9: --max-turns "many": no number\nSee --help.\n' });
  });

  test('because the user stopped it is no error', () => {
    const { said, reporter } = report('stream-json');
    expect(exitCodeOf(reporter.failure(new Error('aborted'), AbortSignal.abort()))).toBe(130);
    const data = { stopReason: 'cancelled', ...nothing };
    expect(said).toEqual({ stdout: `${JSON.stringify({ type: 'done', turn: 0, data })}\n`, stderr: '' });
  });

  test('because of a fault of ours says where', () => {
    const { said, reporter } = report('json');
    expect(exitCodeOf(reporter.failure(new TypeError(`x of ${key}`), never))).toBe(1);
    expect(JSON.parse(said.stdout)).toMatchObject({ error: { code: 'INTERNAL', message: 'x of ***' } });
    expect(said.stderr).toMatch(/^harness9: TypeError: x of \*\*\*\n {4}at /);
  });
});

test('every end has its exit code', () => {
  const codes = stopReasonSchema.options.map((stopReason) => [stopReason, exitCodeOf({ ...result, stopReason })]);
  expect(Object.fromEntries(codes)).toEqual({
    completed: 0,
    max_turns: 3,
    timeout: 3,
    budget: 3,
    repetition: 3,
    cancelled: 130,
    error: 1,
  });
  expect(exitCodeOf({ ...result, error })).toBe(1);
});

test.each([
  ...['CLI_USAGE', 'CONFIG_UNREADABLE', 'CONFIG_MALFORMED', 'PERMISSION_RULES', 'HOOKS_INVALID', 'MCP_CONFIG'],
  ...['TRACING_ENDPOINT', 'SCRIPT_UNREADABLE', 'SCRIPT_MALFORMED', 'PROVIDER_SCRIPT', 'PROVIDER_FALLBACK', 'OUTPUT_SCHEMA'],
])('%s is a wrong command line: what a flag names is a part of it', (code) => {
  const { reporter } = report('text');
  expect(exitCodeOf(reporter.failure(new Harness9Error({ code, message: 'no' }), never))).toBe(2);
});

test.each(['MCP_START', 'TRACING_HEADERS', 'PROVIDER_KEY_MISSING', 'SESSION_UNKNOWN'])('%s is none', (code) => {
  const { reporter } = report('text');
  expect(exitCodeOf(reporter.failure(new Harness9Error({ code, message: 'no' }), never))).toBe(1);
});
