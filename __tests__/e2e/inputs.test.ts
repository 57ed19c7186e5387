// Every input of action.yml has a run that shows its effect; the runs are in inputs/.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { agentCases } from './inputs/agent-cases.ts';
import { contextCases } from './inputs/context-cases.ts';
import { edgeCases } from './inputs/edge-cases.ts';
import { enterpriseCases } from './inputs/enterprise-cases.ts';
import { gateCases } from './inputs/gate-cases.ts';
import { publishCases } from './inputs/publish-cases.ts';
import { pullCases } from './inputs/pull-cases.ts';
import { reviewCases } from './inputs/review-cases.ts';

test('every input of action.yml is shown by a run, and no other', async () => {
  const { inputs } = parse(await readFile(path.join(import.meta.dirname, '../../action.yml'), 'utf8'));
  const cases = [
    ...gateCases,
    ...contextCases,
    ...agentCases,
    ...edgeCases,
    ...publishCases,
    ...pullCases,
    ...enterpriseCases,
    ...reviewCases,
  ];
  const shown = cases.map(({ input }) => input);
  expect([...new Set(shown)].sort()).toEqual(Object.keys(inputs).sort());
});
