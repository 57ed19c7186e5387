// Schemas of servers' tools as every vendor takes them.
import { describe, expect, test } from '@jest/globals';
import { loadSdk } from '../../src/mcp/sdk.ts';
import { createSchemaReader, type InputSchema } from '../../src/mcp/tool-schema.ts';

const readSchema = createSchemaReader(await loadSdk());
const read = (schema: unknown, scrub = (text: string) => text): InputSchema => readSchema(schema, scrub);
const withArgument = (argument: unknown, more = {}) => ({ type: 'object', properties: { a: argument }, ...more });
const readArgument = (argument: unknown) => {
  const input = read(withArgument(argument));
  return input.ok ? Reflect.get(Object(input.schema.properties), 'a') : input.why;
};

describe('a schema', () => {
  test.each([
    [{ type: 'array' }, { type: 'array', items: {} }],
    [
      { type: ['array', 'null'], minItems: 1 },
      { type: ['array', 'null'], minItems: 1, items: {} },
    ],
    [
      { type: 'array', items: { type: 'array' } },
      { type: 'array', items: { type: 'array', items: {} } },
    ],
    [
      { anyOf: [{ type: 'array' }, { type: 'object', properties: { type: { type: 'array' } } }] },
      {
        anyOf: [
          { type: 'array', items: {} },
          { type: 'object', properties: { type: { type: 'array', items: {} } } },
        ],
      },
    ],
    [
      { type: 'array', prefixItems: [{ type: 'array' }] },
      { type: 'array', prefixItems: [{ type: 'array', items: {} }] },
    ],
  ])('with lists of anything says so, wherever they are: %j', (argument, expected) => {
    expect(readArgument(argument)).toEqual(expected);
  });

  test.each([
    [
      { type: 'string', pattern: '^(?!x)\\p{L}+$' },
      { type: 'string', description: 'Pattern: ^(?!x)\\p{L}+$' },
    ],
    [
      { type: 'string', description: 'A key.', pattern: '(a+)+$' },
      { type: 'string', description: 'A key.\nPattern: (a+)+$' },
    ],
    [{ type: 'string', pattern: 'x'.repeat(201) }, { type: 'string' }],
    [
      { type: 'object', properties: { pattern: { type: 'string', pattern: '^[' } }, required: ['pattern'] },
      { type: 'object', properties: { pattern: { type: 'string', description: 'Pattern: ^[' } }, required: ['pattern'] },
    ],
    [
      { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
      { type: 'object', description: 'Pattern: ^x-' },
    ],
    [
      { enum: ['a'], default: { pattern: 'x' } },
      { enum: ['a'], default: { pattern: 'x' } },
    ],
  ])('says its regular expressions in words, which no vendor reads: %j', (argument, expected) => {
    expect(readArgument(argument)).toEqual(expected);
  });

  test.each([
    { $ref: '#' },
    { $ref: '#/$defs/X' },
    { $ref: '#/definitions/a~1b%20c' },
    { type: 'array', items: { $ref: '#/properties/a' } },
    { default: { $ref: 'anything' } },
  ])('may refer to itself: %j', (argument) => {
    const definitions = {
      $defs: { X: { type: 'object', properties: { x: { $ref: '#/$defs/X' } } } },
      definitions: { 'a/b c': {} },
    };
    expect(read(withArgument(argument, definitions))).toEqual({
      ok: true,
      schema: { ...withArgument(argument), ...definitions },
      dropped: undefined,
    });
  });

  test.each(['#/$defs/None', 'https://example.com/schema.json', 'other.json#/x', '#anchor', '#/anyOf/0', '', '#/toString'])(
    'that refers to what is not in it costs its tool: %s',
    (reference) => {
      expect(read(withArgument({ $ref: reference }, { anyOf: [{}] }))).toEqual({
        ok: false,
        why: expect.stringMatching(/^its input schema refers to .*, which is not in it$/),
      });
    },
  );

  test('has no secret in any of its texts', () => {
    const scrub = (text: string) => text.replaceAll('geheim-77', '***');
    const input = read(withArgument({ type: 'string', description: 'geheim-77', default: 'x geheim-77' }), scrub);
    expect(input).toEqual({
      ok: true,
      schema: withArgument({ type: 'string', description: '***', default: 'x ***' }),
      dropped: undefined,
    });
    expect(read({ type: 'object', properties: { 'geheim-77': {} } }, scrub)).toEqual({
      ok: false,
      why: 'its input schema has an argument "***", a name that not every model accepts',
    });
  });

  test('of thousands of arguments is read or refused at once', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, { type: 'array' }]));
    expect(read({ type: 'object', properties: many })).toMatchObject({ ok: false, why: expect.stringContaining('32 KB') });
    const some = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`a${index}`, { type: 'array' }]));
    expect(read({ type: 'object', properties: some })).toMatchObject({ ok: true });
  });
});
