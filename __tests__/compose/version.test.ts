import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { version } from '../../src/compose/version.ts';

test('the version is that of the package', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).version).toBe(version);
});
