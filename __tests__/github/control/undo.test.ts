import { afterEach, expect, test } from '@jest/globals';
import { validateBundle } from '../../../src/github/change/validate-bundle.ts';
import { loadUndo } from '../../../src/github/control/undo.ts';
import { announce } from '../../../src/github/publish/announce.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import type { Outcome } from '../../../src/schema/outcome.ts';
import { bundleOf, writeOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from '../publish/stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

const branch = 'harness9/issue-12-fix-rounding';
const place = (stage: Stage) => ({ api: stage.ports.api, repository: { owner: 'acme', repo: 'shop' } });

/** Publishes as a run of its own would. */
async function publishAs(stage: Stage, plan: RunPlan, more: Partial<Bundle>): Promise<Outcome> {
  const io = { ports: stage.ports, signal: never };
  return publish(plan, bundleOf(plan, more), await announce(plan, stage.ports, never), io);
}

/** A plan of another request, that works on the head of our pull request. */
async function planOn(stage: Stage, id: string, more: Partial<RunPlan> = {}): Promise<RunPlan> {
  const sha = await stage.hub.git('rev-parse', `refs/heads/${branch}`);
  const number = stage.hub.snapshot().pulls[0]?.number ?? 0;
  return {
    ...stage.plan,
    trigger: { ...stage.plan.trigger, id },
    head: { branch, sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
    checkoutSha: sha,
    delivery: 'push_to_head',
    pullRequest: { ...stage.plan.pullRequest, continues: number },
    ...more,
  };
}

/** What a run of the word comes to: the validator lets it through, and it is published. */
async function undo(stage: Stage, id: string): Promise<{ readonly outcome: Outcome; readonly reply: string }> {
  const plan = await planOn(stage, id, { mode: 'undo', instruction: { text: '', command: 'undo' } });
  const { undoes, ...undone } = await loadUndo(plan, place(stage), never);
  const result = { ...bundleOf(plan).result, turns: 0 };
  const more = { ...undone, ...(undoes === null ? {} : { undoes }), result, commands: [], sandbox: 'none' };
  expect(validateBundle(plan, bundleOf(plan, more), () => ({ exact: false, pattern: null })).kind).not.toBe('refusal');
  const outcome = await publishAs(stage, plan, more);
  return { outcome, reply: stage.replies().at(-1) ?? '' };
}

async function begin(changes: Bundle['changes']): Promise<Stage> {
  const stage = await openStage();
  stages.push(stage);
  await publishAs(stage, stage.plan, { changes });
  return stage;
}

test('the newest commit of ours is taken back as a new commit, then the one before it, then nothing is left', async () => {
  const stage = await begin([
    writeOf('src/cart.ts', 'export const total = 1;\n', { isNew: false }),
    writeOf('new.sh', '#!/bin/sh\n', { mode: '100755' }),
    { kind: 'delete', path: 'old.txt', patch: '' },
  ]);
  const first = await stage.hub.git('rev-parse', `refs/heads/${branch}`);
  await publishAs(stage, await planOn(stage, 'second'), { changes: [writeOf('two.txt', '2\n')], title: 'Add two' });
  const second = await stage.hub.git('rev-parse', `refs/heads/${branch}`);

  const one = await undo(stage, 'third');
  expect(one.outcome).toMatchObject({ conclusion: 'success', branchName: branch, filesChanged: 1 });
  expect(one.reply).toMatch(new RegExp(`^Took back ${second.slice(0, 7)} \\(\`Add two\`\\): \`two.txt\` is as before it\\.\n`));
  expect(one.reply).not.toMatch(/turns|tokens|sandbox|No automatic/);
  expect(await stage.hub.git('diff', '--stat', first, `refs/heads/${branch}`)).toBe('');
  expect(await stage.hub.git('rev-parse', `refs/heads/${branch}^`)).toBe(second);
  expect(await stage.hub.git('log', '-1', '--format=%B', `refs/heads/${branch}`)).toContain(`\nHarness9-undoes: ${second}`);

  const two = await undo(stage, 'fourth');
  expect(two.reply).toContain(`Took back ${first.slice(0, 7)}`);
  expect(await stage.hub.git('diff', '--stat', 'refs/heads/main', `refs/heads/${branch}`)).toBe('');

  const three = await undo(stage, 'fifth');
  expect(three.outcome).toMatchObject({ conclusion: 'no_changes', commitSha: null });
  expect(three.reply).toContain('There is nothing that I can take back here: no commit of mine on #2 is left');
});

test('a file that somebody changed since stays as it is and is named; what they added stays, too', async () => {
  const stage = await begin([writeOf('a.txt', 'ours\n'), writeOf('b.txt', 'ours\n')]);
  await stage.hub.pushCommit({ branch, files: { 'b.txt': 'theirs\n', 'c.txt': 'theirs\n' }, message: 'Mine', author: 'mona' });
  const { reply, outcome } = await undo(stage, 'second');
  expect(outcome.conclusion).toBe('success');
  expect(reply).toContain('`a.txt` is as before it.\n\nLeft alone, since changed after it: `b.txt`.');
  const files = await stage.hub.git('ls-tree', '--name-only', `refs/heads/${branch}`);
  expect(files.split('\n')).toEqual(['README.md', 'b.txt', 'c.txt', 'old.txt', 'src']);
  expect(await stage.fileAt(branch, 'b.txt')).toBe('theirs');
});

test('where everything was changed since, nothing is, and it is said', async () => {
  const stage = await begin([writeOf('a.txt', 'ours\n')]);
  await stage.hub.pushCommit({ branch, files: { 'a.txt': 'theirs\n' }, message: 'Mine', author: 'mona' });
  const { outcome, reply } = await undo(stage, 'second');
  expect(outcome).toMatchObject({ conclusion: 'no_changes', commitSha: null });
  expect(reply).toMatch(/everything in my newest commit, \w{7}, was changed since: `a\.txt`\./);
});

test('a commit that only says that it is ours is a person’s, and is never taken back', async () => {
  const stage = await begin([writeOf('a.txt', 'ours\n')]);
  const message = 'Looks like ours\n\nHarness9-run: https://github.com/acme/shop/actions/runs/1';
  await stage.hub.pushCommit({ branch, files: { 'd.txt': 'theirs\n' }, message, author: 'mona' });
  const { reply } = await undo(stage, 'second');
  expect(reply).toContain('`a.txt` is as before it.');
  expect(await stage.fileAt(branch, 'd.txt')).toBe('theirs');
});

test('binaries come back byte by byte', async () => {
  const stage = await openStage({ files: { 'logo.bin': Buffer.from([0, 255, 254, 10]), 'src/cart.ts': 'x\n' } });
  stages.push(stage);
  const content = { encoding: 'base64', data: Buffer.from([1, 0, 2]).toString('base64') } as const;
  await publishAs(stage, stage.plan, { changes: [writeOf('logo.bin', '', { isNew: false, content })] });
  await undo(stage, 'second');
  expect(await stage.hub.git('diff', '--stat', 'refs/heads/main', `refs/heads/${branch}`)).toBe('');
});

test('what a person took back by hand is back already, and that is said', async () => {
  const stage = await begin([writeOf('src/cart.ts', 'export const total = 1;\n', { isNew: false })]);
  const before = `${await stage.fileAt('main', 'src/cart.ts')}\n`;
  await stage.hub.pushCommit({ branch, files: { 'src/cart.ts': before }, message: 'Back', author: 'mona' });
  const { outcome, reply } = await undo(stage, 'second');
  expect(outcome).toMatchObject({ conclusion: 'no_changes', commitSha: null });
  expect(reply).toMatch(/take back here: everything in my newest commit, \w{7}, is as before it already\.\n/);
});

test('a commit that was pushed away with force is not there any more, and nobody else’s is taken for it', async () => {
  const stage = await begin([writeOf('a.txt', 'ours\n')]);
  await stage.hub.git('update-ref', `refs/heads/${branch}`, 'refs/heads/main');
  await stage.hub.pushCommit({ branch, files: { 'b.txt': 'theirs\n' }, message: 'Mine', author: 'mona' });
  const { outcome, reply } = await undo(stage, 'second');
  expect(outcome).toMatchObject({ conclusion: 'no_changes', commitSha: null });
  expect(reply).toContain('no commit of mine on #2 is left that is not taken back already.');
});

test('moved, deleted, made executable, a folder in a file’s place: all is as before', async () => {
  const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'run.sh': 'exit\n', place: 'file\n', 'src/cart.ts': 'x\n' };
  const stage = await openStage({ files });
  stages.push(stage);
  await publishAs(stage, stage.plan, {
    changes: [
      { kind: 'delete', path: 'a.txt', patch: '' },
      writeOf('moved/a.txt', 'a\n'),
      { kind: 'delete', path: 'b.txt', patch: '' },
      writeOf('run.sh', 'exit\n', { isNew: false, mode: '100755' }),
      { kind: 'delete', path: 'place', patch: '' },
      writeOf('place/inner.txt', 'inner\n'),
    ],
  });
  expect(await stage.hub.git('diff', '--name-only', 'refs/heads/main', `refs/heads/${branch}`)).toContain('place/inner.txt');
  const { reply } = await undo(stage, 'second');
  expect(reply).toContain('are as before it.');
  expect(await stage.hub.git('diff', '--stat', 'refs/heads/main', `refs/heads/${branch}`)).toBe('');
});
