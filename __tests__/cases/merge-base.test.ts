// Conflicts with the base, resolved when asked: the whole Action on a pull request that GitHub cannot merge, and what is left in the end.
import { expect, jest, test } from '@jest/globals';
import { conversationOn, type Scene } from '../e2e/scene.ts';
import { startCase } from './in-process.ts';
import { onlyReply, restAs } from './seen.ts';

// A machine that does more than this must not fail a case.
jest.setTimeout(60_000);

/** `greet` and its base, which changed the same line or another file. */
async function openBehind({ github }: Scene, theirs: Readonly<Record<string, string>>) {
  await github.pushCommit({ branch: 'main', files: { 'NOTE.md': 'hello\n' }, message: 'a note' });
  const files = { 'NOTE.md': 'hello from here\n' };
  const { number } = await github.openPull({ author: 'wendy', head: 'greet', title: 'Greet', files });
  const base = await github.pushCommit({ branch: 'main', files: theirs, message: 'meanwhile' });
  return { number, base, head: await github.git('rev-parse', 'refs/heads/greet') };
}

const look = { calls: [{ name: 'read_file', arguments: { path: 'NOTE.md' } }] };
const resolve = { calls: [{ name: 'write_file', arguments: { path: 'NOTE.md', content: 'hello from both\n' } }] };

test('continue prepares the merge of a run that was cut again, and the next continue does not', async () => {
  const script = [look, { text: 'Both are greetings.' }, resolve, { text: 'Both greetings are kept.' }, { text: 'All is done.' }];
  await using scene = await startCase(script);
  const { github } = scene;
  const { number, base, head } = await openBehind(scene, { 'NOTE.md': 'hello from there\n' });
  const ask = conversationOn(scene, number);
  const cut = await ask('wendy', '@harness9 resolve the conflicts', { inputs: { max_turns: '2' } });
  expect([cut.outputs.conclusion, await github.git('rev-parse', 'refs/heads/greet')]).toEqual(['max_turns', head]);
  expect(onlyReply(scene, number)).toContain('The merge with `main` is not finished, so nothing of it is pushed.');
  const { outputs } = await ask('wendy', '@harness9 continue');
  expect(outputs.conclusion).toBe('success');
  expect(await github.git('log', '-1', '--format=%P', 'refs/heads/greet')).toBe(`${head} ${base}`);
  expect(await github.git('show', 'refs/heads/greet:NOTE.md')).toBe('hello from both');
  const merged = await github.git('rev-parse', 'refs/heads/greet');
  await github.pushCommit({ branch: 'main', files: { 'NOTE.md': 'hello again\n' }, message: 'later' });
  await ask('wendy', '@harness9 continue');
  expect(await github.git('rev-parse', 'refs/heads/greet')).toBe(merged);
});

test('verify_command judges a merge without a conflict', async () => {
  const fix = { calls: [{ name: 'write_file', arguments: { path: 'OTHER.md', content: 'good\n' } }] };
  await using scene = await startCase([{ text: 'There is nothing to resolve.' }, fix, { text: 'Mended what the base broke.' }]);
  const { github } = scene;
  const { number, base, head } = await openBehind(scene, { 'OTHER.md': 'bad\n' });
  // GitHub has not worked out yet whether it conflicts.
  github.fail({
    method: 'GET',
    path: new RegExp(`/pulls/${number}$`),
    status: 200,
    body: await unknownMergeability(scene, number),
  });
  const inputs = { verify_command: 'grep -q good OTHER.md' };
  const { outputs } = await conversationOn(scene, number)('wendy', '@harness9 merge main', { inputs });
  expect(outputs.conclusion).toBe('success');
  expect(scene.sent(1).all).toContain('grep -q good OTHER.md');
  expect(await github.git('log', '-1', '--format=%P', 'refs/heads/greet')).toBe(`${head} ${base}`);
  expect(await github.git('show', 'refs/heads/greet:OTHER.md')).toBe('good');
  expect(onlyReply(scene, number)).toContain('(verify_command) passed.');
});

async function unknownMergeability(scene: Scene, number: number) {
  const pull = JSON.parse(JSON.stringify(await restAs(scene, 'wendy', ['GET', `pulls/${number}`])));
  return { ...pull, mergeable: null };
}

test('a pull request of a fork is told why its conflicts are left', async () => {
  await using scene = await startCase([{ text: 'I cannot push there.' }]);
  const { github } = scene;
  await github.pushCommit({ branch: 'main', files: { 'NOTE.md': 'hello\n' }, message: 'a note' });
  const files = { 'NOTE.md': 'hello from here\n' };
  const { number } = await github.openPull({ author: 'oscar', head: 'greet', title: 'Greet', files, fork: 'oscar/shop' });
  await github.pushCommit({ branch: 'main', files: { 'NOTE.md': 'hello from there\n' }, message: 'meanwhile' });
  await conversationOn(scene, number)('wendy', '@harness9 resolve the conflicts');
  expect(scene.sent(0).all).toContain('The base branch main is not merged into these files (the pull request comes from a fork');
  expect(onlyReply(scene, number)).toContain('`main` was not merged into this branch: the pull request comes from a fork');
});

test('a pull request that conflicts with its base can be merged after it was asked for, by one commit with both as parents', async () => {
  await using scene = await startCase([resolve, { text: 'Both greetings are kept.' }]);
  const { github } = scene;
  await github.pushCommit({ branch: 'main', files: { 'NOTE.md': 'hello\n' }, message: 'a note' });
  const pull = await github.openPull({
    author: 'wendy',
    head: 'greet',
    title: 'Greet',
    files: { 'NOTE.md': 'hello from here\n' },
  });
  const base = await github.pushCommit({
    branch: 'main',
    files: { 'NOTE.md': 'hello from there\n', '.github/workflows/other.yml': 'on: push\n' },
    message: 'meanwhile',
  });
  const head = await github.git('rev-parse', 'refs/heads/greet');
  const isMergeable = async () =>
    JSON.parse(JSON.stringify(await restAs(scene, 'wendy', ['GET', `pulls/${pull.number}`]))).mergeable;
  expect(await isMergeable()).toBe(false);
  const { outputs, exitCode } = await conversationOn(scene, pull.number)('wendy', '@harness9 resolve the conflicts with main');
  expect([exitCode, outputs.conclusion, outputs.branch_name]).toEqual([0, 'success', 'greet']);
  const { all } = scene.sent(0);
  expect(all).toContain('The base branch main is merged into these files already');
  expect(all).toMatch(/- NOTE\.md: Merge conflict in NOTE\.md \[marks\]/);
  expect(await github.git('log', '-1', '--format=%P', 'refs/heads/greet')).toBe(`${head} ${base}`);
  expect(await github.git('show', 'refs/heads/greet:NOTE.md')).toBe('hello from both');
  // What the base alone changed has come along as it is, protected or not.
  expect(await github.git('diff', '--name-only', base, 'refs/heads/greet')).toBe('NOTE.md');
  expect(await isMergeable()).toBe(true);
  expect(onlyReply(scene, pull.number)).toContain(
    `Merged \`main\` (${base.slice(0, 7)}) into this branch; resolved: \`NOTE.md\`.`,
  );
});
