// What stands around the engine, composed: what of it may run in which run, what it says in the history and in traces, what is left when it fails.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { composeEdges } from '../../src/compose/edges.ts';
import { composeMcp } from '../../src/compose/mcp.ts';
import { call, calls, lastTextOf, type Step, says } from '../engine/scripted-model.ts';
import { listed, type RawOptions, raw } from '../mcp/scene.ts';
import { startReceiver } from '../observe/otel/receiver.ts';
import { livingOf, until } from '../policy/hooks/processes.ts';
import { type EdgePlace, never, type Run, secret, startEdgePlace } from './edge-place.ts';

const reads = (...files: readonly string[]): Step => ({
  answer: calls(...files.map((path) => call(path, 'read_file', { path }))),
});
const ends = (text = 'Done.'): Step => ({ answer: says(text) });
const measured = (begin: () => Promise<boolean>) => ({
  begin,
  end: async () => undefined,
  workAtEnd: () => ({ isChanged: true, isVerified: true }),
});

/** A server that leaves a line in a file when it starts. */
function noted(file: string, options: RawOptions = {}, more: object = {}): Readonly<Record<string, unknown>> {
  const { command, args } = raw(options);
  return { command: 'bash', args: ['-c', `echo $$ >> ${file}; exec "$0" "$@"`, command, ...[args].flat()], ...more };
}

/** What keeps this process alive, by kind. */
function countOpen(): Readonly<Record<string, number>> {
  const kinds = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind));
  return Object.fromEntries(kinds.map(([kind, all = []]) => [kind, all.length]));
}

describe('what trusted configuration runs', () => {
  const settings = {
    hooks:
      'PreToolUse:\n  - { matcher: read_file(command), command: touch by-command }\n  - { matcher: read_file(script), script: ./hook.sh }\n',
    verifyCommand: 'touch by-verify',
    mcpConfig: JSON.stringify({ s: noted('by-server', {}, { lowest_trust: 'untrusted', read_only_tools: true }) }),
  };
  const all = ['by-command', 'by-script', 'by-verify', 'by-server'];

  test.each<[Run, readonly string[]]>([
    ['trusted', all],
    ['mixed', ['by-script']],
    ['untrusted', ['by-script']],
    ['readonly', []],
  ])('a run that is %s: %j; and of the rest is said why not', async (run, expected) => {
    await using place = await startEdgePlace(run);
    for (const file of ['command', 'script', 'other']) place.write(file, 'the text');
    const files = { 'hook.sh': 'touch by-script\n' };
    const { heard, notices, parent, result } = await place.play([reads('command', 'script', 'other'), ends()], {
      settings,
      files,
      verification: measured(async () => true),
    });
    expect(all.filter(place.has)).toEqual(expected);
    const isRun = (name: string) => expected.includes(name);
    const denied = expect.stringMatching(/was not run: the hook .* could not be run: .*(?:command|process)/);
    const text = expect.stringContaining('the text');
    expect(heard('parent')).toEqual({
      command: isRun('by-command') ? text : denied,
      script: isRun('by-script') ? text : denied,
      other: text,
    });
    const verified = isRun('by-verify') ? 'passed' : 'was not run: this run may run no commands';
    expect(result.notes?.filter((note) => note.includes('verify_command'))).toEqual([
      `\`touch by-verify\` (verify_command) ${verified}.`,
    ]);
    const names = parent.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(names.includes('mcp__s__echo')).toBe(isRun('by-server'));
    expect(notices).toEqual(isRun('by-server') ? [] : [expect.stringContaining('MCP server "s"')]);
  });
});

describe('in one place', () => {
  let place: EdgePlace;
  beforeAll(async () => {
    place = await startEdgePlace();
  });
  beforeEach(() => place.clear());
  afterAll(async () => await place[Symbol.asyncDispose]());

  test.each([
    ['all', ['mcp__s__looks', 'mcp__s__writes']],
    ['read_only', ['mcp__s__looks']],
  ] as const)('of the tools of a server a run with the tools "%s" has %j', async (tools, expected) => {
    const server = raw({ pages: [[listed('looks'), listed('writes')]] }, { read_only_tools: ['looks'] });
    const parts = place.partsOf({ settings: { mcpConfig: JSON.stringify({ s: server }) } });
    const mcp = await composeMcp({ ...parts, plan: { ...parts.plan, tools } }, never);
    await mcp.close();
    expect(mcp.tools.map(({ definition }) => definition.name)).toEqual(expected);
  });

  test('what hooks and verify_command say enters the history without secrets', async () => {
    for (const file of ['denied', 'changed', 'failed', 'told']) place.write(file, 'the text');
    const files = {
      'denied.sh': `echo "denied ${secret}" >&2; exit 2`,
      'changed.sh': `echo '{"tool_input": {"path": "changed ${secret}"}}'`,
      'failed.sh': `echo "failed ${secret}" >&2; exit 1`,
      'told.sh': `echo '{"tool_output": "told ${secret}"}'`,
      'stop.sh': `echo '{"message": "stop ${secret}"}'`,
    };
    const before = ['denied', 'changed', 'failed'].map((name) => `  - { matcher: read_file(${name}), script: ./${name}.sh }`);
    const hooks = [
      'PreToolUse:',
      ...before,
      'PostToolUse:',
      '  - { matcher: read_file(told), script: ./told.sh }',
      'Stop:',
      '  - { script: ./stop.sh, max_send_backs: 1 }',
    ].join('\n');
    const verifyCommand = `echo "verify ${secret}"; exit 1`;
    const { heard, parent, result } = await place.play(
      [reads('denied', 'changed', 'failed', 'told'), ends(), ends(), ends(), ends()],
      { settings: { hooks, verifyCommand, verifyAttempts: 1 }, files, verification: measured(async () => true) },
    );
    const { denied, changed, failed, told } = heard('parent');
    for (const [text, words] of Object.entries({ denied, changed, failed, told })) expect(words).toContain(`${text} ***`);
    const later = parent.requests.map(lastTextOf).slice(2);
    expect(later).toEqual([expect.stringContaining('stop ***'), expect.stringContaining('verify ***')]);
    expect(JSON.stringify([parent.requests, result, place.log])).not.toContain(secret);
  });

  test('what hooks say is cut where it enters the history', async () => {
    place.write('a', 'the text');
    const say = (field: string) => `printf '{"${field}": "'; head -c 200000 /dev/zero | tr '\\0' x; printf '"}'`;
    const files = { 'told.sh': say('tool_output'), 'stop.sh': say('message') };
    const hooks = 'PostToolUse: [{ script: ./told.sh }]\nStop: [{ script: ./stop.sh, max_send_backs: 1 }]';
    const { heard, parent } = await place.play([reads('a'), ends(), ends()], { settings: { hooks }, files });
    for (const text of [heard('parent').a ?? '', lastTextOf(parent.requests[2])]) {
      expect(text.length).toBeGreaterThan(20_000);
      expect(text.length).toBeLessThan(51_000);
    }
  });

  test('work of which nobody can say whether there is any is not taken for verified', async () => {
    const begin = () => Promise.reject(new Error('the disk is gone'));
    const { result } = await place.play([ends(), ends()], {
      settings: { verifyCommand: 'true', verifyAttempts: 1 },
      verification: measured(begin),
    });
    expect(result.error).toMatchObject({ code: 'VERIFY_FAILED', message: expect.stringContaining('the disk is gone') });
  });

  test('content in traces has no secret, whatever it is the content of', async () => {
    await using receiver = await startReceiver();
    const key = `sk-ant-api03-${'Ab3'.repeat(30)}`;
    const [first, rest] = [key.slice(0, 4), key.slice(4)];
    const acts = calls(
      call('a', 'write_file', { path: 'a', content: `argument ${secret}` }),
      call('b', 'bash', { command: `echo "result ${first}""${rest}"` }),
    );
    await place.play([{ answer: acts }, ends(`answer ${secret}`)], {
      settings: { otelEndpoint: receiver.url, otelContent: true },
      prompt: `prompt ${secret}`,
    });
    const all = receiver.raw.join('\n');
    for (const text of ['prompt ***', 'answer ***', 'argument ***', 'result ***']) expect(all).toContain(text);
    for (const hidden of [secret, key]) expect(all).not.toContain(hidden);
  });

  test('a required server that fails leaves nothing: no other server, no timer, no connection', async () => {
    await using receiver = await startReceiver();
    const mcpConfig = JSON.stringify({ good: noted('pids'), bad: raw({ start: 'exits' }, { required: true }) });
    const parts = place.partsOf({ settings: { otelEndpoint: receiver.url, mcpConfig } });
    const before = countOpen();
    await expect(composeEdges(parts, never)).rejects.toMatchObject({ code: 'MCP_START' });
    const pids = place.read('pids').trim().split('\n').map(Number);
    expect([pids.length, await livingOf(pids)]).toEqual([1, []]);
    // What was closed may take a moment to be gone.
    const more = () => Object.entries(countOpen()).filter(([kind, count]) => count > (before[kind] ?? 0));
    await until(() => expect(more()).toEqual([]));
  });
});
