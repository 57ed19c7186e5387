// Every input of action.yml has a run that shows its effect; the runs are in inputs/.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { agentCases } from './inputs/agent-cases.ts';
import { edgeCases } from './inputs/edge-cases.ts';
import { gateCases } from './inputs/gate-cases.ts';
import { publishCases } from './inputs/publish-cases.ts';

test('every input of action.yml is shown by a run, and no other', async () => {
  const { inputs } = parse(await readFile(path.join(import.meta.dirname, '../../action.yml'), 'utf8'));
  const shown = [...gateCases, ...agentCases, ...edgeCases, ...publishCases].map(({ input }) => input);
  expect([...new Set(shown)].sort()).toEqual(Object.keys(inputs).sort());
});
