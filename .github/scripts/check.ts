// Owns the order of the gates, quick ones first: one line a step, and the whole output of a step that fails.
// `--all` goes on after a failure; `--tests-json <file>` has Jest write its counts there. Never repairs anything.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

interface Step {
  readonly name: string;
  /** Command lines, run one after the other until one fails. */
  readonly commands: readonly (readonly string[])[];
  /** What mends the usual failure. */
  readonly hint?: string;
}

const BIOME = [
  'biome',
  'check',
  '--config-path=.github/biome.json',
  '--error-on-warnings',
  '--diagnostic-level=warn',
  '--reporter=concise',
];
const JEST = ['node', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

function listSteps(testsJson: string | undefined): readonly Step[] {
  const counts = testsJson === undefined ? [] : ['--json', `--outputFile=${testsJson}`];
  return [
    {
      name: 'format and lint',
      commands: [BIOME],
      hint: '`npm run fix` mends format and the order of imports.',
    },
    { name: 'types', commands: [['tsc', '-p', '.github/tsconfig.json']] },
    {
      name: 'boundaries',
      commands: [['depcruise', '--config', '.github/dependency-cruiser.cjs', '--output-type', 'err-long', 'src', '__tests__']],
    },
    { name: 'dead code', commands: [['knip', '--no-progress', '--treat-config-hints-as-errors']] },
    { name: 'workflow lint', commands: [['node', '.github/scripts/workflows.ts']] },
    { name: 'docs in step', commands: [['node', '.github/scripts/docs.ts', '--check']] },
    {
      name: 'dist fresh',
      commands: [
        ['tsc', '-p', 'tsconfig.json'],
        ['node', '.github/scripts/build.ts', '--check'],
      ],
    },
    { name: 'tests', commands: [[...JEST, '--silent', ...counts]] },
  ];
}

/** Runs one command with the project's own tools and Node first in PATH; resolves with its exit code and output. */
function runCommand(command: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const [program = '', ...args] = command;
  const tools = path.resolve('node_modules/.bin');
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${tools}${path.delimiter}${process.env.PATH ?? ''}` },
  });
  return new Promise((resolve) => {
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => resolve({ code: 1, output: `${program}: ${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs a step and prints its line; true when it passed. */
async function runStep(step: Step): Promise<boolean> {
  const start = performance.now();
  let failure: string | undefined;
  for (const command of step.commands) {
    const { code, output } = await runCommand(command);
    if (code === 0) continue;
    failure = `$ ${command.join(' ')}\n${output}`;
    break;
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${failure === undefined ? 'ok    ' : 'FAILED'}  ${step.name.padEnd(16)} ${seconds.padStart(6)} s`);
  if (failure !== undefined) console.log([failure, step.hint].filter(Boolean).join('\n'));
  return failure === undefined;
}

const { values } = parseArgs({ options: { all: { type: 'boolean', default: false }, 'tests-json': { type: 'string' } } });
const failed: string[] = [];
for (const step of listSteps(values['tests-json'])) {
  if (await runStep(step)) continue;
  failed.push(step.name);
  if (!values.all) break;
}
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
