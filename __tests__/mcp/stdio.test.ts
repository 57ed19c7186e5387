// Calls of servers that are processes: what comes back, what they may ask of us, how a call is called off.
import path from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { startTimer } from '../../src/engine/abort.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { never, raw, startScene } from './scene.ts';

describe('a call of a server that is a process', () => {
  test('is answered with what the server says, errors as errors', async () => {
    await using scene = await startScene({ s: raw() });
    expect(await scene.call('mcp__s__echo', { a: [1, 'é', null] })).toMatchObject({ text: '{"a":[1,"é",null]}', isError: false });
    expect(await scene.call('mcp__s__fails')).toMatchObject({ text: 'it did not work', isError: true });
    const thrown = await scene.call('mcp__s__throws');
    expect(thrown).toMatchObject({ isError: true, text: expect.stringMatching(/^mcp__s__throws: .*-32602.*no such thing$/) });
    expect(scene.notices).toEqual([]);
  });

  test('takes no arguments but an object, and none for an empty one', async () => {
    await using scene = await startScene({ s: raw() });
    for (const none of [undefined, null, {}]) expect((await scene.call('mcp__s__echo', none)).text).toBe('{}');
    for (const wrong of ['x', 7, [1], true]) {
      expect(await scene.call('mcp__s__echo', wrong)).toMatchObject({
        isError: true,
        text: expect.stringContaining('no JSON object'),
      });
    }
  });

  test('goes on beside others, each with its own answer', async () => {
    await using scene = await startScene({ s: raw(), t: raw() });
    const told = Array.from({ length: 40 }, (_, index) => index);
    const answers = await Promise.all(told.map((index) => scene.call(`mcp__${index % 2 ? 's' : 't'}__echo`, { index })));
    expect(answers.map(({ text }) => JSON.parse(text).index)).toEqual(told);
  });

  test('brings 5 MB of text in one line, cut to its head and tail', async () => {
    await using scene = await startScene({ s: raw() });
    const { text, isError } = await scene.call('mcp__s__big', { bytes: 5 * 1024 * 1024 });
    expect(isError).toBe(false);
    expect(text).toMatch(/^<é+\n\[… 519\d{4} bytes omitted …\]\né+>$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50_000);
  });

  test('brings 10,000 parts as one text', async () => {
    await using scene = await startScene({ s: raw() });
    const { output, text } = await scene.call('mcp__s__many', { parts: 10_000 });
    expect(output).toHaveLength(1);
    expect(text).toMatch(/^0\n1\n2\n/);
    expect(text).toMatch(/\n9998\n9999$/);
  });

  test('is understood when its answer comes byte by byte, with CRLF and blank lines', async () => {
    await using scene = await startScene({ s: raw() });
    const text = 'Grüße, 世界 \u{1F600} \u2028 end';
    expect((await scene.call('mcp__s__crumbs', { text })).text).toBe(text);
  });

  test('is understood between lines that are no messages, which are logged', async () => {
    await using scene = await startScene({ s: raw() });
    expect((await scene.call('mcp__s__noise')).text).toBe('heard');
    expect((await scene.call('mcp__s__strangers')).text).toBe('still here');
    expect(scene.log.filter((line) => line.includes('no message of MCP')).length).toBeGreaterThanOrEqual(5);
    expect(scene.log.join('\n')).toContain('Listening on port 7…');
  });

  test('sees only the environment that it was given, in the workspace', async () => {
    await using scene = await startScene({ s: raw({}, { env: { LEVEL: 'a=b' } }) });
    const { env, cwd } = JSON.parse((await scene.call('mcp__s__environment')).text);
    expect(Object.keys(env).filter((name) => name !== 'PATH')).toEqual(['LEVEL']);
    expect(env.LEVEL).toBe('a=b');
    expect(path.basename(cwd)).toMatch(/^harness9-mcp-/);
  });
});

describe('what a server asks of us', () => {
  test('a ping is answered; sampling, roots and questions are refused, and none of them was offered', async () => {
    await using scene = await startScene({ s: raw() });
    const [ping, ...others] = JSON.parse((await scene.call('mcp__s__asks')).text);
    expect(ping).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    expect(others.map(({ id, error }: { id: string; error: { code: number } }) => [id, error.code])).toEqual([
      ['s', -32601],
      ['r', -32601],
      ['e', -32601],
    ]);
    const [initialize] = JSON.parse((await scene.call('mcp__s__heard')).text);
    expect(initialize.params).toEqual({
      protocolVersion: expect.any(String),
      capabilities: {},
      clientInfo: { name: 'harness9', version: '0' },
    });
  });

  test('a changed list of tools is told once, and changes nothing', async () => {
    await using scene = await startScene({ s: raw() });
    const before = JSON.stringify(scene.tools.map(({ definition }) => definition));
    await scene.call('mcp__s__changes');
    await scene.call('mcp__s__changes');
    expect(scene.log.filter((line) => line.includes('list of tools has changed'))).toHaveLength(1);
    expect(JSON.stringify(scene.tools.map(({ definition }) => definition))).toBe(before);
    expect(
      JSON.parse((await scene.call('mcp__s__heard')).text).filter(({ method }: { method: string }) => method === 'tools/list'),
    ).toHaveLength(1);
  });
});

describe('a call that is called off', () => {
  test('is answered at once, and the server is told which one', async () => {
    await using scene = await startScene({ s: raw() });
    const controller = new AbortController();
    const pending = scene.call('mcp__s__never', {}, controller.signal);
    await scene.call('mcp__s__echo');
    controller.abort(new Error('secret reason'));
    expect(await pending).toMatchObject({ isError: true, text: expect.stringMatching(/^mcp__s__never: cancelled/) });
    const heard: { id: number; method: string; params: { name?: string; requestId?: number } }[] = JSON.parse(
      (await scene.call('mcp__s__heard')).text,
    );
    const call = heard.find(({ params }) => params?.name === 'never');
    const cancelled = heard.filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled.map(({ params }) => params)).toEqual([{ requestId: call?.id, reason: 'cancelled by the client' }]);
  });

  test('by the time limit of the engine is told with it', async () => {
    await using scene = await startScene({ s: raw({}, { timeout_secs: 0.3 }) });
    const limit = startTimer(systemClock, 300, never);
    expect(await scene.call('mcp__s__never', {}, AbortSignal.any([never, limit]))).toMatchObject({
      isError: true,
      text: 'mcp__s__never: no answer within 0.3 s; the server was told.',
    });
  });

  test('before it began is not made; one that is done is not called off later', async () => {
    await using scene = await startScene({ s: raw() });
    const controller = new AbortController();
    await scene.call('mcp__s__echo', {}, controller.signal);
    controller.abort();
    expect(await scene.call('mcp__s__echo', { late: 1 }, controller.signal)).toMatchObject({ isError: true });
    const { text } = await scene.call('mcp__s__heard');
    expect(text).not.toContain('late');
    expect(text).not.toContain('notifications/cancelled');
  });

  test('leaves nothing behind on a signal that lives long', async () => {
    await using scene = await startScene({ s: raw() });
    const { signal } = new AbortController();
    const warnings: string[] = [];
    const warn = (warning: Error) => warnings.push(warning.message);
    process.on('warning', warn);
    for (let count = 0; count < 30; count += 1) await scene.call('mcp__s__echo', {}, signal);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });
});

describe('a call that takes long', () => {
  test('has no limit but that of whoever asks: hours later it is still waited for', async () => {
    await using scene = await startScene({ s: raw() });
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] });
    const controller = new AbortController();
    const pending = scene.call('mcp__s__never', {}, controller.signal);
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(12 * 3_600_000);
    jest.useRealTimers();
    await scene.call('mcp__s__echo');
    expect(await Promise.race([pending, 'it waits'])).toBe('it waits');
    controller.abort();
    await pending;
  });
});
