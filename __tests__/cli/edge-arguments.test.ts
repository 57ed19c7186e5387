// The flags for what stands around the engine: the same settings as the Action's inputs of the same names.
import { describe, expect, test } from '@jest/globals';
import { parseArguments } from '../../src/cli/arguments.ts';
import { edgeFlags } from '../../src/cli/edge-arguments.ts';

function edgesOf(...args: readonly string[]) {
  const request = parseArguments(['-p', 'x', ...args], '1.2.3');
  return request.kind === 'print' ? request.options.edges : undefined;
}

describe('the flags around the engine', () => {
  test.each<[readonly string[], object]>([
    [['--allowed-tools', 'read_file,bash(npm test:*)'], { allowedTools: 'read_file,bash(npm test:*)' }],
    [['--allowed-tools', 'a', '--plan', '--allowed-tools=b, c'], { allowedTools: 'a\nb, c' }],
    [['--disallowed-tools', 'bash', '--disallowed-tools', 'task'], { disallowedTools: 'bash\ntask' }],
    [['--permission-rules', 'ask bash(git push:*)'], { permissionRules: 'ask bash(git push:*)' }],
    [['--permission-rules', 'a', '--permission-rules', 'b\nc', '--permission-rules', 'd'], { permissionRules: 'a\nb\nc\nd' }],
    [['--permission-rules', './rules.txt'], { permissionRules: './rules.txt' }],
    [['--permission-rules', '/etc/rules.txt'], { permissionRules: '/etc/rules.txt' }],
    [['--hooks', '- on: stop\n  run: true\n'], { hooks: '- on: stop\n  run: true' }],
    [['--mcp-config', './mcp.json'], { mcpConfig: './mcp.json' }],
    [['--verify-command', 'npm test'], { verifyCommand: 'npm test', verifyAttempts: 2 }],
    [['--verify-command', 'npm test', '--verify-attempts', '0'], { verifyCommand: 'npm test', verifyAttempts: 0 }],
    [['--otel-endpoint', 'http://127.0.0.1:4318'], { otelEndpoint: 'http://127.0.0.1:4318', otelContent: false }],
    [['--otel-content', '--otel-endpoint', 'https://o/x'], { otelEndpoint: 'https://o/x', otelContent: true }],
  ])('%j', (args, expected) => {
    expect(edgesOf(...args)).toEqual({ ...edgesOf(), ...expected });
  });

  test.each<[readonly string[], string]>([
    [['--verify-command', 'x', '--verify-attempts', 'two'], '--verify-attempts "two": expected a whole number, 0 to send'],
    [['--verify-command', 'x', '--verify-attempts=-1'], '--verify-attempts "-1": expected a whole number'],
    [['--verify-command', 'x', '--verify-attempts', '1.5'], '--verify-attempts "1.5": expected a whole number'],
    [['--verify-attempts', '3'], '--verify-attempts: expected --verify-command with it'],
    [['--otel-content'], '--otel-content: expected --otel-endpoint with it'],
    [['--otel-endpoint', 'http://o', '--otel-content', 'true'], '--otel-content "true": this flag takes no value'],
    [['--otel-content=yes', '--otel-endpoint', 'http://o'], '--otel-content "yes": this flag takes no value'],
    [
      ['--otel-endpoint', 'localhost:4318'],
      '--otel-endpoint "localhost:4318": expected a URL that begins with http:// or https://',
    ],
    [['--otel-endpoint', 'collector'], '--otel-endpoint "collector": expected a URL'],
    [['--permission-rules', './r', '--permission-rules', 'deny task'], '--permission-rules "./r": expected one file, or rules'],
    [['--permission-rules', 'a', '--permission-rules', ' ../r'], '--permission-rules "../r": expected one file, or rules'],
    [['--permission-rules', 'deny task', '--permission-rules', '/r'], '--permission-rules "/r": expected one file, or rules'],
    [['--permission-rules', 'a', '--permission-rules', ''], '--permission-rules "": expected a value'],
    [['--allowed-tool', 'bash'], 'unknown flag "--allowed-tool"; the nearest is --allowed-tools'],
    [['--hook', 'x'], 'unknown flag "--hook"; the nearest is --hooks'],
    [['--transcript'], '--transcript: expected a value after it'],
  ])('%j is a usage error that names it', (args, message) => {
    expect(() => edgesOf(...args)).toThrow(
      expect.objectContaining({ code: 'CLI_USAGE', message: expect.stringContaining(message) }),
    );
  });

  const valued = Object.entries(edgeFlags).flatMap(([name, { takes }]) => (takes === 'value' ? [name] : []));

  test.each(valued)('--%s needs a value', (name) => {
    for (const args of [[`--${name}`], [`--${name}`, '--plan']]) {
      expect(() => edgesOf(...args)).toThrow(expect.objectContaining({ message: `--${name}: expected a value after it` }));
    }
    expect(() => edgesOf(`--${name}=`)).toThrow(expect.objectContaining({ message: `--${name} "": expected a value` }));
  });

  const lists = valued.filter((name) => edgeFlags[name]?.again === 'adds');

  test('a second one is added to a list, and never takes the place of a guard', () => {
    expect(lists).toEqual(['allowed-tools', 'disallowed-tools', 'permission-rules']);
    for (const name of valued.filter((each) => !lists.includes(each))) {
      expect(() => edgesOf(`--${name}`, './a', `--${name}=./b\nc`)).toThrow(
        expect.objectContaining({
          code: 'CLI_USAGE',
          message: `--${name} "./b c": it is given already, as "./a"; expected it once`,
        }),
      );
    }
  });

  test('are in the help', () => {
    const help = parseArguments(['--help'], '1.2.3');
    for (const name of Object.keys(edgeFlags)) expect(help).toMatchObject({ text: expect.stringContaining(`--${name} `) });
  });

  test('are none of sessions', () => {
    expect(() => parseArguments(['sessions', '--hooks', 'x'], '1')).toThrow(
      expect.objectContaining({ message: expect.stringContaining('unknown flag "--hooks"') }),
    );
  });
});
