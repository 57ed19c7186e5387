// A schema of the final message: what is refused and in which words, and what is checked of a message, whatever it is.
import { describe, expect, test } from '@jest/globals';
import { readSchema } from '../../src/output/read-schema.ts';

const name = 'input `output_schema`';

async function read(schema: unknown, redact: (text: string) => string = (text) => text) {
  const log: string[] = [];
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  return { ...(await readSchema(text, { name, redact, log: (line) => log.push(line) })), log };
}

/** What it is refused with; a schema that is not refused fails the test. */
async function refusal(schema: unknown): Promise<string> {
  const error: unknown = await read(schema).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'OUTPUT_SCHEMA', hint: expect.stringContaining('"type":"object"') });
  const message = String(error instanceof Error ? error.message : error);
  expect(message.startsWith(`${name}: the JSON Schema cannot be used: `)).toBe(true);
  return message.slice(`${name}: the JSON Schema cannot be used: `.length);
}

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name'],
  additionalProperties: false,
};

/** So many levels, the innermost a type. */
function nested(levels: number): unknown {
  return levels === 0 ? { type: 'string' } : { items: nested(levels - 1) };
}

describe('a schema is refused', () => {
  test.each<[string, unknown, RegExp]>([
    ['that is no JSON', 'type: object', /^it is no JSON: /],
    ['that is cut', '{"type":', /^it is no JSON: /],
    ['that is a list', [person], /^it is \[.*expected an object$/],
    ['that is a boolean', 'true', /^it is true, expected an object$/],
    ['that is a text', '"object"', /^it is "object", expected an object$/],
    [
      'that is an example of the answer',
      { name: 'Ada', age: 36 },
      /^none of the names at its top \(name, age\) is a keyword that checks/,
    ],
    ['that only describes', { title: 'Answer', description: 'What was done' }, /names at its top \(title, description\)/],
    ['whose type is none', { type: 'strnig' }, /^it is no JSON Schema 2020-12: \/type /],
    ['of another edition', { items: [{}] }, /^it is no JSON Schema 2020-12: \/items must be object,boolean$/],
    [
      'whose required is a boolean',
      { type: 'object', properties: { a: { required: true } } },
      /\/properties\/a\/required must be array/,
    ],
    ['whose pattern is none', { type: 'string', pattern: '(' }, /./],
    [
      'that is newer or older than we know',
      { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' },
      /its \$schema is "http.*draft-04.*expected one of/,
    ],
    ['whose $schema is no text', { $schema: 7 }, /its \$schema is 7/],
    ['that refers to nothing', { $ref: '#/$defs/none' }, /^it refers to "#\/\$defs\/none", which is not in it/],
    [
      'that refers to an address',
      { properties: { a: { $ref: 'https://example.com/a.json' } } },
      /refers to "https:\/\/example.com\/a.json"/,
    ],
    ['that refers to a file', { $ref: './a.json' }, /^it refers to "a.json", which is not in it; nothing is loaded/],
    ['that refers to itself', { $ref: '#' }, /references go round in circles/],
    [
      'that refers in a circle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      /round in circles/,
    ],
    ['that is too large', { description: 'x'.repeat(65 * 1024) }, /^it is larger than 64 KB$/],
    ['that is too deep', nested(70), /^it nests deeper than 64 levels$/],
    ['deeper than any parser goes', '['.repeat(60_000), /^it nests deeper than 64 levels$/],
  ])('%s', async (_, schema, words) => {
    expect(await refusal(schema)).toMatch(words);
  });
});

describe('a schema is taken', () => {
  test.each<[string, unknown, unknown, unknown]>([
    [
      'of draft 2020-12',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'number' }] },
      [1],
      ['1'],
    ],
    ['of draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema#', items: [{ type: 'number' }] }, [1], ['1']],
    ['of draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'number' }] }, [1], ['1']],
    ['of draft 6', { $schema: 'http://json-schema.org/draft-06/schema', const: 1 }, 1, 2],
    ['of none', { unevaluatedProperties: false, properties: { a: {} } }, { a: 1 }, { b: 1 }],
    ['that is empty', {}, { anything: [null] }, undefined],
    ['with references within', { $ref: '#/$defs/p', $defs: { p: person } }, { name: 'Ada' }, { age: 1 }],
    ['that refers to itself on the way down', { type: 'array', items: { $ref: '#' } }, [[], [[]]], [1]],
    ['with an $id', { $id: 'https://example.com/s', $ref: '#/$defs/p', $defs: { p: person } }, { name: 'a' }, {}],
    ['for a text', { type: 'string' }, 'hello', 1],
    ['for nothing', { type: 'null' }, null, false],
    ['with a format that is known', { type: 'string', format: 'date' }, '2026-11-30', '30.11.2026'],
    ['with a pattern that no linear engine knows', { type: 'string', pattern: '^(?!no)(a+)\\1$' }, 'aa', 'noaa'],
    ['with a letter class of Unicode', { type: 'string', pattern: '^\\p{L}+$' }, 'Grüße', '12'],
    [
      'with names that every object inherits',
      { required: ['toString'], properties: { constructor: { const: 1 } } },
      { toString: 1 },
      {},
    ],
    ['with a property of such a name that need not be', { properties: { constructor: { const: 1 } } }, {}, { constructor: 2 }],
    ['with parts of a cent', { multipleOf: 0.01 }, 19.99, 19.999],
    ['with large amounts', { multipleOf: 0.1 }, 12_345_678.9, 12_345_678.95],
    ["with Ajv's own way to answer later", { $async: true, ...person }, { name: 'a' }, {}],
  ])('%s', async (_, schema, fits, not) => {
    const { check } = await read(schema);
    expect(check(JSON.stringify(fits))).toEqual({ value: fits });
    if (not !== undefined) expect(check(JSON.stringify(not))).toHaveProperty('problems');
  });

  test('with what the checker does not know, which is told and passed over', async () => {
    const { check, log } = await read({ type: 'object', 'x-order': 1, properties: { a: { type: 'string', format: 'colour' } } });
    expect(check('{"a":"b"}')).toEqual({ value: { a: 'b' } });
    expect(log).toEqual([expect.stringContaining('colour'), expect.stringContaining('x-order')]);
    expect(log.every((line) => line.startsWith('[output] warning='))).toBe(true);
  });

  test('with every keyword of its edition, and nothing is told', async () => {
    const $defs = {
      a: { $anchor: 'here', $comment: 'x', type: 'string', deprecated: true, examples: ['b'], contentMediaType: 'text/plain' },
    };
    const { check, log } = await read({ $defs, $ref: '#here' });
    expect([check('"a"'), log]).toEqual([{ value: 'a' }, []]);
  });

  test('without its edition, which says nothing to a model', async () => {
    const { schema } = await read({ $schema: 'http://json-schema.org/draft-07/schema#', $async: false, type: 'object' });
    expect(schema).toEqual({ type: 'object' });
  });
});

describe('a problem says where, what is expected and what is there', () => {
  test.each<[unknown, unknown, string]>([
    [person, { age: 1 }, `at the top: must have required property 'name', seen an object with age`],
    [person, {}, `at the top: must have required property 'name', seen an object with nothing`],
    [person, { name: 1 }, 'at /name: must be string, seen 1'],
    [person, { name: 'a', age: -1 }, 'at /age: must be >= 0, seen -1'],
    [person, { name: 'a', b: 1 }, 'at the top: must NOT have additional properties ("b"), seen an object with name, b'],
    [person, [1, 2], 'at the top: must be object, seen a list of 2'],
    [{ items: { enum: ['a', 'b'] } }, ['a', 'c'], 'at /1: must be equal to one of the allowed values ("a", "b"), seen "c"'],
    [{ const: { a: 1 } }, null, 'at the top: must be equal to constant ({"a":1}), seen null'],
    [{ maxLength: 3 }, 'x'.repeat(500), `at the top: must NOT have more than 3 characters, seen "${'x'.repeat(58)}…`],
    [{ unevaluatedProperties: false }, { a: 1 }, 'at the top: must NOT have unevaluated properties ("a"), seen an object with a'],
  ])('%j, %j', async (schema, value, problem) => {
    const { check } = await read(schema);
    expect(check(JSON.stringify(value))).toEqual({ problems: [problem] });
  });

  test('all of them are told, up to a bound', async () => {
    const { check } = await read({ items: { type: 'string' } });
    expect(check(JSON.stringify([1, 'a', 2]))).toEqual({
      problems: ['at /0: must be string, seen 1', 'at /2: must be string, seen 2'],
    });
    const many = check(JSON.stringify(Array.from({ length: 50_000 }, (_, at) => at)));
    expect('problems' in many && many.problems.length).toBe(20);
  });

  test('a key is taken out before anything is cut', async () => {
    const key = `key-${'0123456789'.repeat(9)}`;
    const { check } = await read(person, (text) => text.replaceAll(key, '***'));
    const said = JSON.stringify([
      check(JSON.stringify({ name: [key], [key]: 1 })),
      check(JSON.stringify({ name: 'a', age: key })),
    ]);
    expect(said).toContain('***');
    expect(said).not.toContain('key-0');
  });
});

describe('a check ends', () => {
  const branches = (depth: number): Record<string, unknown> =>
    Object.fromEntries(
      Array.from({ length: depth }, (_, at) => [
        `d${at}`,
        at + 1 === depth ? { type: 'string' } : { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    );

  // A pattern that backtracks is the other kind (within-time.test.ts).
  test('for branches that branch, which is a problem and no hanging', async () => {
    const { check } = await read({ properties: { a: { $ref: '#/$defs/d0' } }, $defs: branches(40) });
    expect(check('{"a":1}')).toEqual({ problems: ['it could not be checked within 2 s'] });
    // And it checks on.
    expect(check('{"other":1}')).toHaveProperty('value');
  });

  test('for data that is deeper than the stack', async () => {
    const { check } = await read({ type: 'array', items: { $ref: '#' } });
    for (const depth of [65, 5000, 500_000]) {
      expect(check('['.repeat(depth) + ']'.repeat(depth))).toEqual({ problems: ['it nests deeper than 64 levels'] });
    }
  });

  test('for brackets without end in prose', async () => {
    const { check } = await read({});
    for (const text of ['['.repeat(60), '{'.repeat(60), '[{'.repeat(30), '```json\n'.repeat(3000), '[1]'.repeat(50_000)]) {
      expect(check(text)).toHaveProperty('problems');
    }
  });
});
