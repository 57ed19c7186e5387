// End to end on dist: the inputs of enterprise-cases.ts, each shown by what it does.
import { test } from '@jest/globals';
import { enterpriseCases } from './enterprise-cases.ts';
import { timeout } from './input-case.ts';

test.each(enterpriseCases)('$input $shows', ({ check }) => check(), timeout);
