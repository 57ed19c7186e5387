// End to end on dist: the inputs of context-cases.ts, each shown by what it does.
import { test } from '@jest/globals';
import { contextCases } from './context-cases.ts';
import { timeout } from './input-case.ts';

test.each(contextCases)('$input $shows', ({ check }) => check(), timeout);
