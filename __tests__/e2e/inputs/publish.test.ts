// End to end on dist: the inputs of publish-cases.ts, each shown by what it does.
import { test } from '@jest/globals';
import { timeout } from './input-case.ts';
import { publishCases } from './publish-cases.ts';

test.each(publishCases)('$input $shows', ({ check }) => check(), timeout);
