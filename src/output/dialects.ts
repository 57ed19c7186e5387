// The editions of JSON Schema that can be checked, and the checker of each, imported when there is a schema to be read and never before.
import type { Ajv } from 'ajv';

export type Dialect = '2020-12' | '2019-09' | 'draft-07';

/** What `$schema` may name; the addresses differ in protocol and a last `#`. Draft 6 is a part of draft 7. */
const addresses: readonly (readonly [RegExp, Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09'],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, 'draft-07'],
];

export const dialectNames =
  'https://json-schema.org/draft/2020-12/schema, https://json-schema.org/draft/2019-09/schema, http://json-schema.org/draft-07/schema';

/** The edition that a `$schema` names; without one the newest. Undefined: none that we know. */
export function dialectOf($schema: unknown): Dialect | undefined {
  if ($schema === undefined) return '2020-12';
  return addresses.find(([address]) => typeof $schema === 'string' && address.test($schema))?.[1];
}

/** A checker of that edition, formats included. Keywords that it does not know it passes over, and tells `warn`. */
export async function loadChecker(dialect: Dialect, warn: (text: string) => void): Promise<Ajv> {
  const [ajv, formats] = await Promise.all([loadAjv(dialect), import('ajv-formats')]);
  const tell = (...words: readonly unknown[]): void => warn(words.join(' '));
  const checker = new ajv({
    strict: false,
    strictSchema: 'log',
    allErrors: true,
    verbose: true,
    // A name that every object inherits (`constructor`) is there only where the answer has it.
    ownProperties: true,
    // 19.99 is a multiple of 0.01, though not in binary.
    multipleOfPrecision: 6,
    logger: { log: tell, warn: tell, error: tell },
  });
  // It knows the keyword, and warns of it all the same.
  if (checker.getKeyword('$anchor') === false) checker.addKeyword('$anchor');
  // In the bundle a CommonJS module has its default and nothing else.
  formats.default.default(checker);
  return checker;
}

async function loadAjv(dialect: Dialect) {
  switch (dialect) {
    case '2020-12':
      return (await import('ajv/dist/2020.js')).default.Ajv2020;
    case '2019-09':
      return (await import('ajv/dist/2019.js')).default.Ajv2019;
    case 'draft-07':
      return (await import('ajv')).default.Ajv;
  }
}
