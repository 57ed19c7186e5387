// End to end on dist: the inputs of agent-cases.ts, each shown by what it does.
import { test } from '@jest/globals';
import { agentCases } from './agent-cases.ts';
import { timeout } from './input-case.ts';

test.each(agentCases)('$input $shows', ({ check }) => check(), timeout);
