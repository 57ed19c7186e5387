// End to end on dist: the inputs of pull-cases.ts, each shown by what it does.
import { test } from '@jest/globals';
import { timeout } from './input-case.ts';
import { pullCases } from './pull-cases.ts';

test.each(pullCases)('$input $shows', ({ check }) => check(), timeout);
