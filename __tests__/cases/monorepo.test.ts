// One package of a monorepo, by the inputs that decision 0040 names.
import { expect, jest, test } from '@jest/globals';
import { conversationOn } from '../e2e/scene.ts';
import { startCase } from './in-process.ts';
import { onlyReply } from './seen.ts';

jest.setTimeout(60_000);

const files = {
  'AGENTS.md': 'Whole repository: be brief.\n',
  'packages/a/AGENTS.md': 'Package a: be exact.\n',
  'packages/a/total.js': 'export const total = 1;\n',
  'packages/b/other.js': 'export const other = 1;\n',
  '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n',
};
const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });

test('a package has its instructions, its check and its paths; what lies outside is shown and not published', async () => {
  const calls = [
    write('packages/a/total.js', 'export const total = 2;\n'),
    write('packages/b/other.js', 'export const other = 2;\n'),
    write('.gitmodules', '[submodule "lib"]\n\tpath = lib\n\turl = https://elsewhere.example/lib\n'),
  ];
  await using scene = await startCase([{ calls }, { text: 'Both are mended.' }], { files });
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Totals are off' });
  const { outputs } = await conversationOn(scene, number)('wendy', '@harness9 mend packages/a', {
    inputs: {
      allowed_paths: 'packages/a/',
      verify_command: 'cd packages/a && grep -q "total = 2" total.js',
    },
  });
  expect(outputs).toMatchObject({ conclusion: 'success', files_changed: '1' });
  const { system } = scene.sent(0);
  expect([system.includes('Whole repository: be brief.'), system.includes('Package a: be exact.')]).toEqual([true, true]);
  const changed = await scene.github.git('diff', '--name-only', 'refs/heads/main', `refs/heads/${outputs.branch_name}`);
  expect(changed).toBe('packages/a/total.js');
  const [published = '', ...notPublished] = onlyReply(scene, number).split('**Not published:**');
  const left = notPublished.join('');
  for (const path of ['.gitmodules', 'packages/b/other.js']) {
    expect(left).toContain(path);
    expect(published).not.toContain(path);
  }
});

test('a package’s folder as the working directory is an error that names what to set instead', async () => {
  await using scene = await startCase([], { files });
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Totals are off' });
  const inputs = { working_directory: 'packages/a' };
  const { exitCode, outputs } = await conversationOn(scene, number)('wendy', '@harness9 mend it', { inputs });
  expect([exitCode, outputs.conclusion]).toEqual([1, 'error']);
  const reply = onlyReply(scene, number);
  for (const word of ['packages/a/', '`working_directory`', '`allowed_paths`', '`verify_command`']) expect(reply).toContain(word);
});
