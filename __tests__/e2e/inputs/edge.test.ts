// End to end on dist: the inputs of edge-cases.ts, each shown by what it does.
import { test } from '@jest/globals';
import { edgeCases } from './edge-cases.ts';
import { timeout } from './input-case.ts';

test.each(edgeCases)('$input $shows', ({ check }) => check(), timeout);
