// The inputs that say what stands around the engine: rules, hooks, servers, verification, traces.
import path from 'node:path';
import { expect } from '@jest/globals';
import { startReceiver } from '../../observe/otel/receiver.ts';
import { mention } from '../mention.ts';
import { mendingTurn, startScene } from '../scene.ts';
import type { InputCase } from './input-case.ts';

const done = { text: 'Done.' };
const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });
const everything = path.join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** The last observation of the run with this input, in which the model asked for `command`. */
async function observationWith(input: string, value: string, command: string): Promise<string> {
  await using scene = await startScene([bash(command), done]);
  await mention(scene, { inputs: { [input]: value } });
  return JSON.stringify(scene.sent(1).messages.at(-1));
}

export const edgeCases: readonly InputCase[] = [
  {
    input: 'allowed_tools',
    shows: 'lets what it lists run, and nothing else',
    check: async () => {
      const value = 'bash(node --version)';
      expect(await observationWith('allowed_tools', value, 'node --version')).toContain('exit code 0');
      expect(await observationWith('allowed_tools', value, 'node --help')).toContain('was not run');
    },
  },
  {
    input: 'disallowed_tools',
    shows: 'denies what it lists',
    check: async () => {
      expect(await observationWith('disallowed_tools', 'bash(node --version)', 'node --version')).toContain('was not run');
    },
  },
  {
    input: 'permission_rules',
    shows: 'denies by a rule, which the model is told',
    check: async () => {
      const told = await observationWith('permission_rules', 'deny bash(node:*)', 'node --version');
      expect(told).toContain('bash(node:*)');
    },
  },
  {
    input: 'hooks',
    shows: 'asks a command before each call',
    check: async () => {
      const hooks = 'PreToolUse: [{ command: "echo Not today. >&2; exit 2" }]';
      expect(await observationWith('hooks', hooks, 'node --version')).toContain('Not today.');
    },
  },
  {
    input: 'mcp_config',
    shows: 'gives the model the tools of a server',
    check: async () => {
      const server = { command: process.execPath, args: [everything, 'stdio'], tools: ['echo'] };
      await using scene = await startScene([done]);
      await mention(scene, { inputs: { mcp_config: JSON.stringify({ mcpServers: { all: server } }) } });
      expect(scene.sent(0).tools).toContain('"mcp__all__echo"');
    },
  },
  {
    input: 'verify_command',
    shows: 'must pass before the work is done',
    check: async () => {
      await using scene = await startScene([mendingTurn, done, done, done]);
      const { result } = await mention(scene, { inputs: { verify_command: 'exit 3' } });
      expect(result.outputs).toMatchObject({ conclusion: 'verify_failed', turns: '4' });
    },
  },
  {
    input: 'verify_attempts',
    shows: 'is how often a failure goes back',
    check: async () => {
      await using scene = await startScene([mendingTurn, done]);
      const { result } = await mention(scene, { inputs: { verify_command: 'exit 3', verify_attempts: '0' } });
      expect(result.outputs).toMatchObject({ conclusion: 'verify_failed', turns: '2' });
    },
  },
  {
    input: 'otel_endpoint',
    shows: 'is where the spans of the run arrive',
    check: async () => {
      await using receiver = await startReceiver();
      await using scene = await startScene([done]);
      await mention(scene, { inputs: { otel_endpoint: receiver.url } });
      expect(receiver.spans.map(({ name }) => name)).toContain('invoke_agent harness9');
    },
  },
  {
    input: 'otel_content',
    shows: 'puts what was asked into them',
    check: async () => {
      await using receiver = await startReceiver();
      await using scene = await startScene([done]);
      await mention(scene, { said: '@harness9 look at CANARY', inputs: { otel_endpoint: receiver.url, otel_content: 'true' } });
      expect(receiver.raw.join()).toContain('CANARY');
    },
  },
];
