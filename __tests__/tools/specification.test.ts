// The specification's rows on what a tool is: a name, a definition for the model, and a function that answers with a text.
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { createRegistry } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';

const weather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city.',
  place: 'main',
  effect: 'read',
  schema: z.object({ city: z.string(), days: z.number().int().optional() }),
  run: async ({ city }) => `${city}: sunny, 14 degrees`,
});
const definition = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
    additionalProperties: false,
  },
  place: 'main',
  effect: 'read',
};

test('[spec 003 BaseTool.Name] [spec 003 BaseTool.Definition] [spec 3.2 ToolDefinition.Name] [spec 3.2 ToolDefinition.Description] a tool says name, description and JSON Schema, which survive JSON', () => {
  expect(weather.definition).toEqual(definition);
  expect(JSON.parse(JSON.stringify(weather.definition))).toEqual(definition);
});

test('[spec 5.4 Register] [spec 5.4 GetAvailableTools] [spec 5.4 Execute] a registered tool is listed, and runs by its name with the raw arguments', async () => {
  const registry = createRegistry();
  expect(registry.getAvailableTools()).toEqual([]);
  registry.register(weather);
  expect(registry.getAvailableTools()).toEqual([definition]);
  const call = { id: 'call_abc', name: 'get_weather', arguments: '{"city":"北京"}' };
  expect(await registry.execute(call, { signal: new AbortController().signal })).toEqual({
    toolCallId: 'call_abc',
    output: [{ type: 'text', text: '北京: sunny, 14 degrees' }],
    isError: false,
  });
});

test('[spec 003 BaseTool.Execute] a tool that is plain data and a function, without our helper, is a tool', async () => {
  const registry = createRegistry();
  const seen: unknown[] = [];
  registry.register({
    definition: { name: 'say', description: 'Says.', inputSchema: { type: 'object' }, place: 'main', effect: 'read' },
    execute: async (args) => {
      seen.push(args);
      return 'said';
    },
  });
  const context = { signal: new AbortController().signal };
  const result = await registry.execute({ id: 'c', name: 'say', arguments: '{"what":["x"]}' }, context);
  expect([seen, result]).toEqual([
    [{ what: ['x'] }],
    { toolCallId: 'c', output: [{ type: 'text', text: 'said' }], isError: false },
  ]);
});
