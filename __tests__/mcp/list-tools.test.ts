// Which tools of a server are offered, and as what: pages, choice, names, schemas.
import { describe, expect, test } from '@jest/globals';
import { loadSdk } from '../../src/mcp/sdk.ts';
import { createSchemaReader } from '../../src/mcp/tool-schema.ts';
import { sendJson, startHttpMcp } from './http-server.ts';
import { listed, raw, startScene } from './scene.ts';

const names = (count: number, start = 0) =>
  Array.from({ length: count }, (_, index) => `tool_${String(start + index).padStart(4, '0')}`);
const page = (count: number, start = 0) => names(count, start).map((name) => listed(name));

describe('the list of a server’s tools', () => {
  test('is read over all of its pages', async () => {
    await using scene = await startScene({ s: raw({ pages: [page(3), [], page(2, 3)] }) });
    expect(scene.names).toEqual(names(5).map((name) => `mcp__s__${name}`));
    expect(scene.notices).toEqual([]);
  });

  test('of 500 is offered up to 100, and the rest is told in one line', async () => {
    await using scene = await startScene({ s: raw({ pages: [0, 1, 2, 3, 4].map((index) => page(100, index * 100)) }) });
    expect(scene.names).toEqual(names(100).map((name) => `mcp__s__${name}`));
    expect(scene.notices).toEqual([
      'MCP server "s": 400 of its tools are left out: at most 100 tools of 200 KB together are offered by all servers; name those you need in `tools`',
    ]);
  });

  test('of 500 has those that were asked for, wherever they stand', async () => {
    const pages = [0, 1, 2, 3, 4].map((index) => page(100, index * 100));
    await using scene = await startScene({ s: raw({ pages }, { tools: ['tool_049*', 'tool_0001', 'nothing'] }) });
    expect(scene.names).toEqual(['tool_0001', ...names(10, 490)].map((name) => `mcp__s__${name}`));
    expect(scene.notices).toEqual(['MCP server "s": none of its tools is named "nothing"']);
  });

  test('of several servers has one bound for all of them, by their number and their size, in their order', async () => {
    const large = (name: string) =>
      listed(name, { description: 'x'.repeat(3_000), inputSchema: { description: 'y'.repeat(30_000) } });
    await using server = await startHttpMcp((asked, response) => {
      const tools = [...['l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7'].map(large), ...page(70)];
      if (asked.body?.method === 'tools/list') sendJson(response, { jsonrpc: '2.0', id: asked.body.id, result: { tools } });
      return asked.body?.method === 'tools/list';
    });
    await using scene = await startScene({ z: raw({ pages: [page(70)] }), b: { url: server.url } });
    expect(scene.names.filter((name) => name.startsWith('mcp__z__'))).toHaveLength(70);
    expect(scene.names.filter((name) => name.includes('__l'))).toEqual([1, 2, 3, 4, 5, 6].map((index) => `mcp__b__l${index}`));
    expect(scene.names).toHaveLength(100);
    expect(scene.notices).toEqual([
      expect.stringMatching(/^MCP server "b": 47 of its tools are left out: at most 100 tools of 200 KB/),
    ]);
  });

  test('is told in the log by the names that rules are written with', async () => {
    const names = ['echo', 'x'.repeat(80), 'a b', 'd', 'e'].map((name) => listed(name));
    await using scene = await startScene({ 'my server': raw({ pages: [names] }) });
    const told = scene.log.filter((line) => line.startsWith('[mcp] my server: tools: '));
    expect(told.flatMap((line) => line.replace('[mcp] my server: tools: ', '').split(', ')).sort()).toEqual(scene.names);
  });

  test('has no secret in what the model is sent', async () => {
    const redact = (text: string) => text.replaceAll('geheim-77', '***');
    const pages = [
      [
        listed('a', { description: 'For geheim-77.', inputSchema: { properties: { x: { default: 'geheim-77' } } } }),
        { name: 'b', title: 'geheim-77' },
        listed('c_geheim-77'),
        listed('d', { inputSchema: { properties: { 'geheim-77': {} } } }),
        listed('e', { inputSchema: { type: 'geheim-77' } }),
      ],
    ];
    await using scene = await startScene({ s: raw({ pages }, { tools: ['a', 'b', 'd', 'e'] }) }, { redact });
    const definitions = scene.tools.map(({ definition }) => definition);
    expect(definitions.map(({ name, description }) => [name, description])).toEqual([
      ['mcp__s__a', 'For ***.'],
      ['mcp__s__b', '***'],
    ]);
    expect(JSON.stringify([definitions, scene.notices, scene.log])).not.toContain('geheim-77');
    expect(scene.notices).toHaveLength(3);
  });

  test.each([
    ['same', 4],
    ['new', 200],
  ] as const)('that does not end (%s cursor) is read so far, and told', async (endless, entries) => {
    await using scene = await startScene({ s: raw({ pages: [page(2)], endless }) });
    expect(scene.names).toEqual(['mcp__s__tool_0000', 'mcp__s__tool_0001']);
    expect(scene.notices).toEqual([`MCP server "s": its list of tools does not end; ${entries} entries of it were read`]);
  });

  test('loses only what is wrong in it, which is told where it was asked for, and logged where all were', async () => {
    const bad: readonly (readonly [name: string, inputSchema: unknown])[] = [
      ['null_schema', null],
      ['text_schema', 'object'],
      ['list_schema', []],
      ['number_type', { type: 'number' }],
      ['odd_type', { type: 'object', properties: { a: { type: 'strin' } } }],
      ['old_required', { type: 'object', properties: { a: { type: 'string', required: true } } }],
      ['tuple', { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }] } } }],
      ['odd_argument', { type: 'object', properties: { 'naïve name': {} } }],
      ['deep', JSON.parse(`${'{"not":'.repeat(70)}{}${'}'.repeat(70)}`)],
      ['large', { type: 'object', description: 'x'.repeat(33 * 1024) }],
    ];
    const pages = [
      [...bad.map(([name, inputSchema]) => ({ name, inputSchema })), listed('good'), listed('good', { description: 'another' })],
    ];
    const told = (before: string) =>
      bad.map(([name]) => expect.stringMatching(new RegExp(`^${before}: the tool "${name}" is left out: its input schema `)));
    await using asked = await startScene({ s: raw({ pages }, { tools: ['good', ...bad.map(([name]) => name)] }) });
    expect([asked.names, asked.notices]).toEqual([['mcp__s__good'], told('MCP server "s"')]);
    await using scene = await startScene({ s: raw({ pages }) });
    expect([scene.names, scene.notices]).toEqual([['mcp__s__good'], []]);
    expect(scene.log).toEqual(expect.arrayContaining(told('\\[mcp\\] s')));
    expect((await scene.call('mcp__s__good')).text).toBe('called good');
  });

  test('loses entries without a name, and tells many problems in ten lines', async () => {
    const odd = [null, 7, 'x', {}, { name: '' }, { name: 3 }, [listed('x')]];
    const tasks = names(15).map((name) => listed(name, { execution: { taskSupport: 'required' } }));
    const optional = listed('both', { execution: { taskSupport: 'optional' }, description: 5 });
    await using scene = await startScene({ s: raw({ pages: [[...odd, ...tasks, optional]] }, { tools: ['tool_*', 'both'] }) });
    expect(scene.names).toEqual(['mcp__s__both']);
    expect(scene.notices).toHaveLength(10);
    expect(scene.notices[0]).toBe('MCP server "s": 7 of its tools have no name that can be used');
    expect(scene.notices[9]).toBe('MCP server "s": 7 more problems with its tools');
  });

  test('that is none is no server', async () => {
    await using scene = await startScene({ s: raw({ pages: [[]] }) });
    expect([scene.tools, scene.notices]).toEqual([[], []]);
  });
});

describe('a tool of a server', () => {
  test('has a name that every provider accepts, and is called by its own', async () => {
    const long = `get_${'x'.repeat(76)}`;
    await using scene = await startScene({
      'my server': raw({
        pages: [[long, '検索', 'ping/pong.v2', 'plain'].map((name) => listed(name, { description: 'Does.' }))],
      }),
    });
    expect(scene.names).toHaveLength(4);
    for (const name of scene.names) expect(name).toMatch(/^mcp__my_server__[A-Za-z0-9_-]+$/);
    for (const name of scene.names) expect(name.length).toBeLessThanOrEqual(64);
    const called = await Promise.all(scene.names.map(async (name) => (await scene.call(name)).text));
    expect(called.sort()).toEqual([`called ${long}`, 'called ping/pong.v2', 'called plain', 'called 検索']);
    const described = scene.tools.map(({ definition }) => definition.description);
    expect(described).toContain('Does.\n\nThe MCP server "my server" calls it "検索".');
  });

  test('that would have the name of another one is told apart, in the same way in every order', async () => {
    const [a, b, c] = [listed('a.b'), listed('a b'), listed('a_b')];
    await using scene = await startScene({ s: raw({ pages: [[a, b, c]] }) });
    await using turned = await startScene({ s: raw({ pages: [[c], [b], [a]] }) });
    expect(scene.names).toEqual(turned.names);
    expect(scene.names).toEqual([
      'mcp__s__a_b',
      expect.stringMatching(/^mcp__s__a_b_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__s__a_b_[0-9a-f]{8}$/),
    ]);
    const call = async (each: typeof scene) => await Promise.all(each.names.map(async (name) => (await each.call(name)).text));
    expect(await call(scene)).toEqual(await call(turned));
    expect((await scene.call('mcp__s__a_b')).text).toBe('called a_b');
  });

  test('of two servers with names that are alike is called at its own server', async () => {
    const one = (text: string) => raw({ pages: [[listed('environment'), listed('b__environment')]] }, { env: { WHO: text } });
    await using scene = await startScene({ a: one('first'), 'a__-b': one('second') });
    expect(scene.names).toEqual([
      'mcp__a_-b__b__environment',
      'mcp__a_-b__environment',
      'mcp__a__b__environment',
      'mcp__a__environment',
    ]);
    const who = async (name: string) => JSON.parse((await scene.call(name)).text).env.WHO;
    expect([await who('mcp__a__environment'), await who('mcp__a_-b__environment')]).toEqual(['first', 'second']);
  });

  test('only reads where the configuration says so, whatever the server says', async () => {
    const annotated = ['get_a', 'get_b', 'set_a'].map((name) => listed(name, { annotations: { readOnlyHint: true } }));
    const effects = async (more: Readonly<Record<string, unknown>>) => {
      await using scene = await startScene({ s: raw({ pages: [annotated] }, more) });
      return [scene.tools.map(({ definition }) => definition.effect), scene.notices];
    };
    expect(await effects({})).toEqual([['execute', 'execute', 'execute'], []]);
    expect(await effects({ read_only_tools: true })).toEqual([['read', 'read', 'read'], []]);
    expect(await effects({ read_only_tools: ['get_*'] })).toEqual([['read', 'read', 'execute'], []]);
    expect(await effects({ read_only_tools: ['get_*', 'gett'], timeout_secs: 5 })).toEqual([
      ['read', 'read', 'execute'],
      ['MCP server "s": none of its tools is named "gett"'],
    ]);
  });

  test('has a description that is cut, its title where there is none, its own limit, and a schema that is an object', async () => {
    const pages = [
      [
        { name: 'a', title: 'The title' },
        listed('b', { description: 'é'.repeat(5_000), title: 'no' }),
        {
          name: 'c',
          inputSchema: {
            $schema: 'http://json-schema.org/draft-07/schema#',
            properties: { x: { $ref: '#/$defs/X' } },
            $defs: { X: { type: 'string' } },
          },
        },
        listed('d', {
          description: 'Either.',
          inputSchema: { type: 'object', anyOf: [{ required: ['x'] }, { required: ['y'] }], properties: { x: {}, y: {} } },
        }),
      ],
    ];
    await using scene = await startScene({ s: raw({ pages }, { timeout_secs: 600 }) });
    const [a, b, c, d] = scene.tools.map(({ definition }) => definition);
    expect(a).toEqual({
      name: 'mcp__s__a',
      description: 'The title',
      inputSchema: { type: 'object', properties: {} },
      place: 'main',
      effect: 'execute',
      timeoutMs: 600_000,
    });
    expect(b?.description).toMatch(/^é{1024}$/);
    expect(c?.inputSchema).toEqual({
      type: 'object',
      properties: { x: { $ref: '#/$defs/X' } },
      $defs: { X: { type: 'string' } },
    });
    expect(d?.inputSchema).toEqual({ type: 'object', properties: { x: {}, y: {} } });
    expect(d?.description).toBe(
      'Either.\n\nThe arguments must also fit this JSON Schema: {"anyOf":[{"required":["x"]},{"required":["y"]}]}',
    );
    expect(scene.notices).toEqual([]);
  });
});

test('a schema that is nested too deep to be written costs its tool only', async () => {
  const read = createSchemaReader(await loadSdk());
  let deep: unknown = {};
  for (let level = 0; level < 200_000; level += 1) deep = { not: deep };
  expect(read({ type: 'object', properties: { a: deep } }, (text) => text)).toEqual({
    ok: false,
    why: 'its input schema is nested deeper than 64 levels',
  });
});
