import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { logStopped, renderProcesses } from '../../src/compose/left-processes.ts';
import { composeTools } from '../../src/compose/tools.ts';
import { entryOf } from '../entries.ts';

const outward = (text: string) => text.replaceAll('key-0123456789', '***');

describe('what commands left running', () => {
  test('is named by its command line and its id, on one line, without secrets and without a way out of the code span', () => {
    const processes = [
      { pid: 12, command: 'npm run dev' },
      { pid: 13, command: `curl -H key-0123456789 ${'x'.repeat(200)}` },
      { pid: 14, command: 'sh -c `id` && @someone' },
      // Cut before, half of the secret would be told.
      { pid: 15, command: `${'y'.repeat(95)}key-0123456789` },
    ];
    expect(renderProcesses(processes, outward)).toEqual([
      '`npm run dev` (pid 12)',
      `\`curl -H *** ${'x'.repeat(87)}…\` (pid 13)`,
      "`sh -c 'id' && @someone` (pid 14)",
      `\`${'y'.repeat(95)}***\` (pid 15)`,
    ]);
  });

  test('does not fill the log', () => {
    const log: string[] = [];
    logStopped(
      Array.from({ length: 25 }, (_, index) => `p${index}`),
      (line) => log.push(line),
    );
    expect([log.length, log[0], log.at(-1)]).toEqual([
      21,
      '[sandbox] stopped at the end: p0',
      '[sandbox] stopped at the end: 5 more',
    ]);
  });

  test('is stopped when the sandbox is closed, and told in the log and to whoever asked', async () => {
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'harness9-left-')));
    const log: string[] = [];
    const tools = await composeTools({
      workDir: base,
      stateDir: path.join(base, 'state'),
      sandbox: 'none',
      passEnv: [],
      allowed: { tools: 'all', bash: 'allowed' },
      toolHostEntry: entryOf('tool-host'),
      marker: path.basename(base),
      guarded: [],
      redaction: { mark: '***', secrets: outward, outward },
      world: { env: { PATH: process.env.PATH } },
      log: (line) => log.push(line),
    });
    try {
      // The call ends with the shell, which may be before its child has become what it is to be.
      const command = 'exec -a "serve key-0123456789" sleep 361 & until grep -q ^serve /proc/$!/cmdline; do sleep 0.02; done';
      const call = { id: 'c', name: 'bash', arguments: JSON.stringify({ command }) };
      await tools.registryWith([]).execute(call, { signal: new AbortController().signal, run: {} });
      const { killed, survivors, tampered } = await tools.close();
      expect({ killed, survivors, tampered, log }).toEqual({
        killed: [expect.stringMatching(/^`serve \*\*\* 361` \(pid \d+\)$/)],
        survivors: [],
        tampered: [],
        log: [`[sandbox] stopped at the end: ${killed[0]}`],
      });
    } finally {
      await tools.close();
      rmSync(base, { recursive: true, force: true });
    }
  });
});
