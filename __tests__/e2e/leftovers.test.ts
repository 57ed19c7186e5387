// End to end on dist: what a command leaves running ends with the run, and the thread reads what it was, without secrets and out of reach of Markdown.
import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { mention } from './mention.ts';
import { modelKey, startScene } from './scene.ts';

test('what is left running is stopped before the reply, which names it', async () => {
  const serve = `exec -a "serve --key ${modelKey} @wendy" sleep 373.${process.pid}`;
  const daemon = `setsid sh -c 'sleep 374.${process.pid}; true' > /dev/null 2>&1 &`;
  const named = 'until grep -q ^serve /proc/$!/cmdline; do sleep 0.02; done';
  await using scene = await startScene([
    { calls: [{ name: 'bash', arguments: { command: `${daemon} ${serve} & ${named}` } }] },
    { text: 'Started.' },
  ]);
  const { issue, result } = await mention(scene);
  expect(result.outputs).toMatchObject({ conclusion: 'no_changes' });
  const reply = scene.replies(issue)[0] ?? '';
  expect(reply).toMatch(/Still running at the end, and stopped: .*`serve --key \S+ @wendy 373\.\d+` \(pid \d+\)/);
  expect(reply).toMatch(/Still running at the end, and stopped: .*374\./);
  expect(reply).not.toContain(modelKey);
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toMatch(new RegExp(`37[34]\\.${process.pid}`));
}, 180_000);
