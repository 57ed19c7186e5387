// verify_command over the whole engine: whether it is run, and what the result says of that at every end of a run.
import { describe, expect, test } from '@jest/globals';
import type { Work } from '../../src/compose/edge-parts.ts';
import { composeOutgoing } from '../../src/compose/outgoing.ts';
import { composeVerify } from '../../src/compose/verify.ts';
import type { RunResult } from '../../src/schema/run.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { setScene } from '../engine/scene.ts';
import { call, calls, type Step, says } from '../engine/scripted-model.ts';
import { createWorkspace } from '../policy/hooks/processes.ts';

const look: Step = { answer: calls(call('l1', 'look')) };
const write: Step = { answer: calls(call('w1', 'write_file')) };
const done: Step = { answer: says('Done.') };
const verified = { isChanged: true, isVerified: true };

interface Wish {
  readonly command: string;
  readonly attempts?: number;
  readonly mayExecute?: boolean;
  /** What the workspace's measure says; absent: nobody measures. */
  readonly work?: Work;
  readonly maxTurns?: number;
}

/** Plays the script, once for each of `scripts`, and gives what is said of the verification: `error` or `note`, and the turns. */
async function play(wish: Wish, ...scripts: readonly (readonly Step[])[]) {
  using workspace = createWorkspace();
  const { command, attempts = 1, mayExecute = true, work, maxTurns = 50 } = wish;
  const { startProcess } = workspace;
  const world = { clock: systemClock, randomHex: () => 'f', env: {}, fetch, stdout: () => undefined, stderr: () => undefined };
  const outgoing = composeOutgoing(world, ['a-secret-0123456789']);
  const { hooks, verified: complete } = composeVerify({
    settings: { ...noSettings, verifyCommand: command, verifyAttempts: attempts },
    source: { isPath: () => false, read: async () => null, place: 'here', nameOf: String },
    plan: { tools: 'all', trust: 'trusted' },
    tools: { startProcess, mayExecute },
    workDir: workspace.dir,
    ...(work === undefined
      ? {}
      : { verification: { begin: async () => work.isChanged, end: async () => undefined, workAtEnd: () => work } }),
    resource: {},
    outgoing,
    world,
  });
  const scene = setScene('run', scripts.flat(), { hooks, maxTurns, log: () => undefined });
  const told: string[] = [];
  for (let run = 0; run < scripts.length; run += 1) told.push(tell(complete(await scene.play())));
  return { told, runs: workspace.ended.length };
}

const noSettings = {
  allowedTools: null,
  disallowedTools: null,
  permissionRules: null,
  hooks: null,
  mcpConfig: null,
  otelEndpoint: null,
  otelContent: false,
};

function tell({ error, notes = [], stopReason }: RunResult): string {
  const said =
    error === undefined
      ? []
      : [[error.code, error.message, error.hint, error.detail && `[${error.detail}]`].filter(Boolean).join(' ')];
  return [stopReason, ...said, ...notes].join(': ');
}

const unfit =
  'This is rather a fault of the configuration than of the work: correct `verify_command`, or install what it needs before the run.';

describe('what the result says', () => {
  test.each<[string, Wish, readonly Step[], string]>([
    ['that it passed', { command: 'true', work: verified }, [write, done], 'completed: `true` (verify_command) passed.'],
    [
      'that it failed, with the last line that it printed and all of it',
      { command: 'echo a; echo why; echo "}"; false', work: verified },
      [write, done, done],
      'completed: VERIFY_FAILED `echo a; echo why; echo "}"; false` (verify_command, run 2 times) ended with exit code 1; the last line that it printed: why [a\nwhy\n}]',
    ],
    [
      'no secret of what it printed',
      { command: 'echo "key a-secret-0123456789 ghp_$(printf %036d 7)"; false', attempts: 0, work: verified },
      [write, done],
      'completed: VERIFY_FAILED `echo "key *** ghp_$(printf %036d 7)"; false` (verify_command) ended with exit code 1; the last line that it printed: key *** *** [key *** ***]',
    ],
    [
      'that it is the configuration which is at fault where bash finds no command',
      { command: 'no-such-command-here 2>/dev/null', attempts: 0, work: verified },
      [write, done],
      `completed: VERIFY_FAILED \`no-such-command-here 2>/dev/null\` (verify_command) ended with exit code 127 (a command was not found). ${unfit}`,
    ],
    [
      'that it is the configuration which is at fault where bash may not execute it',
      { command: '/etc/passwd 2>/dev/null', attempts: 0, work: verified },
      [write, done],
      `completed: VERIFY_FAILED \`/etc/passwd 2>/dev/null\` (verify_command) ended with exit code 126 (a command cannot be executed). ${unfit}`,
    ],
    [
      'that it failed without a word',
      { command: 'false', attempts: 0, work: verified },
      [write, done],
      'completed: VERIFY_FAILED `false` (verify_command) ended with exit code 1.',
    ],
    [
      'that it passed for something else than what there is now',
      { command: 'true', work: { isChanged: true, isVerified: false } },
      [write, done],
      'completed: VERIFY_FAILED `true` (verify_command) passed, but what was left running changed files after that.',
    ],
    [
      'that a limit came before it',
      { command: 'true', work: verified, maxTurns: 2 },
      [write, done],
      'max_turns: `true` (verify_command) was not run: the run ended before that.',
    ],
    [
      'that a limit came after it had failed',
      { command: 'false', work: verified, maxTurns: 3 },
      [write, done, done],
      'max_turns: `false` (verify_command) ended with exit code 1 when it was last run.',
    ],
    [
      'nothing when nothing was changed',
      { command: 'false', work: { isChanged: false, isVerified: false } },
      [look, done],
      'completed',
    ],
    [
      'nothing when a limit came and nothing was changed',
      { command: 'false', work: { isChanged: false, isVerified: false }, maxTurns: 2 },
      [look, done],
      'max_turns',
    ],
    [
      'that it may not be run',
      { command: 'true', mayExecute: false, work: verified },
      [write, done],
      'completed: `true` (verify_command) was not run: this run may run no commands.',
    ],
    [
      'nothing where it may not be run and need not be',
      { command: 'true', mayExecute: false, work: { isChanged: false, isVerified: false } },
      [look, done],
      'completed',
    ],
    [
      'one line of a command of several, without a secret',
      { command: 'test 1\ntest a-secret-0123456789 && `true`', work: verified },
      [write, done],
      "completed: `test 1 test *** && 'true'` (verify_command) passed.",
    ],
    [
      'that the model failed before it, beside that failure',
      { command: 'true', work: verified },
      [write, { fault: { kind: 'bad_request', message: 'no', retryable: false } }],
      'error: PROVIDER_BAD_REQUEST no: `true` (verify_command) was not run: the run ended before that.',
    ],
  ])('%s', async (_case, wish, script, expected) => {
    expect((await play(wish, script)).told).toEqual([expected]);
  });

  test('work that changed when the agent was done is not finished', async () => {
    let isChanged = false;
    const work = {
      get isChanged() {
        const now = isChanged;
        isChanged = true;
        return now;
      },
      isVerified: false,
    };
    expect((await play({ command: 'true', work }, [write, done])).told).toEqual([
      'completed: VERIFY_FAILED `true` (verify_command) was not run: what was left running changed files when the agent was done.',
    ]);
  });
});

describe('where nobody measures the work', () => {
  test('it is verified when something ran that does not only read, and each run for itself', async () => {
    const again = (step: Step): readonly Step[] => [step, done];
    const { told, runs } = await play({ command: 'true' }, again(look), again(write), [done], again(look));
    expect([runs, told]).toEqual([1, ['completed', 'completed: `true` (verify_command) passed.', 'completed', 'completed']]);
  });

  test('what one run came to is not said of the next', async () => {
    const { told } = await play({ command: 'false', attempts: 0 }, [write, done], [done]);
    expect(told).toEqual(['completed: VERIFY_FAILED `false` (verify_command) ended with exit code 1.', 'completed']);
  });
});
