// End to end on dist: the inputs of review-cases.ts, each shown by what it does.
import { test } from '@jest/globals';
import { timeout } from './input-case.ts';
import { reviewCases } from './review-cases.ts';

test.each(reviewCases)('$input $shows', ({ check }) => check(), timeout);
