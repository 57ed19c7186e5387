// End to end on the sources: what a command leaves running ends with the run, and the person at the terminal reads what it was.
import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { modelKey, startLoopbackModel, startTerminal, terminalTimeout as timeout } from './terminal-process.ts';

test(
  'what is left running is stopped at the end, and named on stderr without secrets',
  async () => {
    await using terminal = await startTerminal();
    const command = `sleep 371.${process.pid} & exec -a "serve --key ${modelKey}" sleep 372.${process.pid} & until grep -q ^serve /proc/$!/cmdline; do sleep 0.02; done`;
    await using model = await startLoopbackModel([{ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'Started.' }]);
    const ended = await terminal.run({ args: [...model.args, 'start it'], env: model.env });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: 'Started.\n' });
    expect(ended.stderr).toMatch(
      new RegExp(`^\\[sandbox\\] stopped at the end: \`sleep 371\\.${process.pid}\` \\(pid \\d+\\)$`, 'm'),
    );
    expect(ended.stderr).toMatch(new RegExp(`^\\[sandbox\\] stopped at the end: \`serve --key \\S+ 372\\.${process.pid}\``, 'm'));
    expect(ended.stderr).not.toContain(modelKey);
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toMatch(new RegExp(`37[12]\\.${process.pid}`));
  },
  timeout,
);
