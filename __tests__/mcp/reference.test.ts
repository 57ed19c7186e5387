// The reference server of the protocol's makers, over a process, through the tool host, and over HTTP: the same answers everywhere.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRegistry } from '../../src/tools/registry.ts';
import { type HostFixture, startFixture } from '../sandbox/host-fixture.ts';
import { everything, startReferenceServer } from './reference-server.ts';
import { type Scene, startScene } from './scene.ts';

const overStdio = { command: process.execPath, args: [everything] };

interface Way {
  readonly scene: Scene;
  remove(): Promise<void>;
}

const ways: readonly (readonly [name: string, start: () => Promise<Way>])[] = [
  [
    'a process',
    async () => {
      const scene = await startScene({ ref: overStdio });
      return { scene, remove: async () => await scene[Symbol.asyncDispose]() };
    },
  ],
  [
    'a process in the tool host',
    async () => {
      const fixture: HostFixture = await startFixture({ level: 'auto' });
      const scene = await startScene({ ref: overStdio }, { startProcess: fixture.host.startProcess });
      return {
        scene,
        remove: async () => {
          await scene[Symbol.asyncDispose]();
          await fixture.remove();
        },
      };
    },
  ],
  [
    'HTTP',
    async () => {
      const server = await startReferenceServer();
      const scene = await startScene({ ref: { type: 'streamable-http', url: server.url } });
      return {
        scene,
        remove: async () => {
          await scene[Symbol.asyncDispose]();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  ],
];

describe.each(ways)('the reference server over %s', (_name, start) => {
  let way: Way;
  beforeAll(async () => {
    way = await start();
  });
  afterAll(async () => await way?.remove());
  const call = (name: string, args: unknown = {}, signal?: AbortSignal) => way.scene.call(`mcp__ref__${name}`, args, signal);

  test('lists its tools, sorted; the one that works only as a task is left out and logged', () => {
    expect(way.scene.names).toEqual([...way.scene.names].sort());
    expect(way.scene.names).toEqual(
      expect.arrayContaining(
        ['echo', 'get-sum', 'get-tiny-image', 'trigger-long-running-operation'].map((name) => `mcp__ref__${name}`),
      ),
    );
    expect(way.scene.notices).toEqual([]);
    expect(way.scene.log).toContain(
      '[mcp] ref: the tool "simulate-research-query" is left out: it works only as a task of its own',
    );
  });

  test('defines a tool as it describes it', () => {
    expect(way.scene.tools.find(({ definition }) => definition.name === 'mcp__ref__echo')?.definition).toEqual({
      name: 'mcp__ref__echo',
      description: 'Echoes back the input string',
      inputSchema: {
        type: 'object',
        properties: { message: { type: 'string', description: 'Message to echo' } },
        required: ['message'],
      },
      place: 'main',
      effect: 'execute',
      timeoutMs: 60_000,
    });
  });

  test('says the same again', async () => {
    expect(await call('echo', { message: 'Grüße, 世界 \u{1F600}\u2028\n' })).toMatchObject({
      text: 'Echo: Grüße, 世界 \u{1F600}\u2028\n',
      isError: false,
    });
  });

  test('adds', async () => {
    expect((await call('get-sum', { a: 2, b: 40 })).text).toBe('The sum of 2 and 40 is 42.');
  });

  test('shows a picture between two texts', async () => {
    const { output } = await call('get-tiny-image');
    expect(output).toEqual([
      { type: 'text', text: expect.stringContaining('image') },
      { type: 'image', mediaType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) },
      { type: 'text', text: expect.stringContaining('image') },
    ]);
  });

  test('annotates', async () => {
    const { output, isError } = await call('get-annotated-message', { messageType: 'error', includeImage: true });
    expect(isError).toBe(false);
    expect(output).toEqual([
      { type: 'text', text: 'Error: Operation failed' },
      { type: 'image', mediaType: 'image/png', data: expect.any(String) },
    ]);
  });

  test('gives structured content once, as the text that says the same', async () => {
    const { output } = await call('get-structured-content', { location: 'Chicago' });
    expect(output).toEqual([{ type: 'text', text: expect.stringMatching(/^\{"temperature":36,/) }]);
  });

  test('links to resources, and encloses them', async () => {
    expect((await call('get-resource-links', { count: 2 })).text).toMatch(
      /\n\[link to a resource ".+" demo:\/\/resource\/\S+ \(text\/plain\): .+\]/,
    );
    expect((await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).text).toMatch(
      /\n\[resource demo:\/\/resource\/dynamic\/text\/1\]\nResource 1: This is a plaintext resource/,
    );
    expect((await call('get-resource-reference', { resourceType: 'Blob', resourceId: 1 })).text).toMatch(
      /\n\[resource demo:\/\/resource\/dynamic\/blob\/1 \(text\/plain\), \d+ bytes; left out: it cannot be shown\]\n/,
    );
  });

  test('refuses arguments that do not fit, by field', async () => {
    expect(await call('get-sum', { a: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/-32602.*received string at a/),
    });
  });

  test('works on something long, and stops being waited for when that is called off', async () => {
    expect((await call('trigger-long-running-operation', { duration: 0.3, steps: 3 })).text).toBe(
      'Long running operation completed. Duration: 0.3 seconds, Steps: 3.',
    );
    const controller = new AbortController();
    const pending = call('trigger-long-running-operation', { duration: 60, steps: 60 }, controller.signal);
    await delay(100);
    controller.abort();
    expect(await pending).toMatchObject({ isError: true, text: expect.stringContaining('cancelled') });
    expect((await call('echo', { message: 'on' })).text).toBe('Echo: on');
  });

  test('is called through a registry like every other tool', async () => {
    const registry = createRegistry();
    for (const tool of way.scene.tools) registry.register(tool);
    const ask = async (name: string, args: string) => {
      const context = { signal: new AbortController().signal, run: {} };
      return await registry.execute({ id: 'c', name, arguments: args }, context);
    };
    const said = { toolCallId: 'c', output: [{ type: 'text', text: 'The sum of 1 and 2 is 3.' }], isError: false };
    expect(await ask('mcp__ref__get-sum', '{"a":1,"b":2}')).toEqual(said);
    expect(await ask('mcp__ref__get_sum', '{"a":"1","b":2}')).toEqual(said);
    expect(await ask('mcp__ref__get-tiny-image', '')).toMatchObject({ isError: false });
    expect(await ask('mcp__ref__echo', '[1]')).toMatchObject({ isError: true });
  });
});

describe('the reference server, started anew', () => {
  test('is found again by a run whose session it has forgotten', async () => {
    const first = await startReferenceServer();
    await using scene = await startScene({ ref: { url: first.url } });
    expect((await scene.call('mcp__ref__echo', { message: 'a' })).text).toBe('Echo: a');
    await first[Symbol.asyncDispose]();
    expect((await scene.call('mcp__ref__echo', { message: 'b' })).text).toMatch(/^mcp__ref__echo: fetch failed \(/);
    await using _second = await startReferenceServer(first.port);
    expect((await scene.call('mcp__ref__echo', { message: 'c' })).text).toBe('Echo: c');
    await scene.close();
  });
});
