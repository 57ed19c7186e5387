// End to end on dist: the inputs of gate-cases.ts, each shown by what it does.
import { test } from '@jest/globals';
import { gateCases } from './gate-cases.ts';
import { timeout } from './input-case.ts';

test.each(gateCases)('$input $shows', ({ check }) => check(), timeout);
