import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { checkoutRepository } from '../../../src/simulator/runner/checkout-repository.ts';
import { never, placeAt } from '../git-workspace.ts';
import { type Histories, type MergeScene, openMergeScene } from '../merge-scene.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const body = (second: string) => `one\n${second}\nthree\n`;
const conflict: Histories = {
  files: { 'a.txt': body('two'), 'b.txt': 'b\n' },
  ours: (place) => place.write('a.txt', body('ours')),
  theirs: (place) => {
    place.write('a.txt', body('theirs'));
    place.write('b.txt', 'changed\n');
  },
};

async function open(histories: Partial<Histories> = {}): Promise<MergeScene> {
  const scene = await openMergeScene({ ...conflict, ...histories });
  closing.push(scene.close);
  return scene;
}

const marked = '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> refs/heads/main\n';

describe('a conflict', () => {
  test('is in the files with both sides, and named', async () => {
    const scene = await open();
    const { merge, notices } = await scene.prepare();
    expect(scene.place.git('rev-parse', 'HEAD').trim()).toBe(scene.head);
    expect(readFileSync(join(scene.place.workDir, 'a.txt'), 'utf8')).toBe(`one\n${marked}three\n`);
    expect(readFileSync(join(scene.place.workDir, 'b.txt'), 'utf8')).toBe('changed\n');
    expect(merge).toMatchObject({
      kind: 'merged',
      merge: {
        paths: [{ kind: 'open', path: 'a.txt', isNew: false }],
        conflicts: [{ path: 'a.txt', marks: ['<<<<<<< HEAD', '=======', '>>>>>>> refs/heads/main'] }],
      },
    });
    expect(notices).toEqual([]);
  });

  test('is all that the run changed when it is resolved, and the diff shows what became of the marks', async () => {
    const scene = await open();
    const workspace = await scene.prepare();
    scene.place.write('a.txt', body('both'));
    const { changes, mergeParent } = await scene.bundleFrom(workspace);
    expect([mergeParent, changes.map(({ path }) => path)]).toEqual([scene.base, ['a.txt']]);
    expect(changes[0]?.patch).toContain('-<<<<<<< HEAD\n-ours\n-=======\n-theirs\n->>>>>>> refs/heads/main\n+both\n');
  });

  test.each([
    ['untouched', null],
    ['with one mark left', body('ours').replace('one', '=======')],
    ['with a mark and the line ends of another system', body('>>>>>>> refs/heads/main').replaceAll('\n', '\r\n')],
  ])('that is left %s is refused with the file named, and the changes are kept', async (_name, content) => {
    const scene = await open();
    const workspace = await scene.prepare();
    scene.place.write('c.txt', 'new\n');
    if (content !== null) scene.place.write('a.txt', content);
    const bundle = await scene.bundleFrom(workspace);
    expect(scene.validate(bundle)).toEqual({
      kind: 'refusal',
      code: 'conflict',
      message: 'conflicts with `main` are left in `a.txt`',
    });
    expect(bundle.changes.map(({ path }) => path)).toContain('c.txt');
  });

  test('in a text about conflicts is over when the marks of the merge are gone, and its own stay', async () => {
    const own = (line: string) => `Title\n=======\n<<<<<<< HEAD\n${line}\n`;
    const scene = await open({
      files: { 'a.txt': own('two') },
      ours: (place) => place.write('a.txt', own('ours')),
      theirs: (place) => place.write('a.txt', own('theirs')),
    });
    const workspace = await scene.prepare();
    scene.place.write('a.txt', own('both'));
    expect(scene.validate(await scene.bundleFrom(workspace)).kind).toBe('bundle');
  });

  test.each<[string, Partial<RunPlan>, RegExp]>([
    ['under a protected path', { protectedPaths: ['a.txt'] }, /"a.txt": both sides changed it and it is protected/],
    ['outside of what may be changed', { allowedPaths: ['src/'] }, /"a.txt": it is in conflict and not among/],
  ])('%s is not given to the run, and the files stay as they were', async (_name, more, why) => {
    const scene = await open();
    const { merge, notices } = await scene.prepare(more);
    expect(merge).toMatchObject({ kind: 'impossible', why: expect.stringMatching(why) });
    expect(notices.join()).toMatch(/was not merged into this branch/);
    expect(scene.place.git('status', '--porcelain')).toBe('');
  });

  test('of a run that was cut is not pushed, and what it did is told as left out', async () => {
    const scene = await open();
    const workspace = await scene.prepare();
    scene.place.write('c.txt', 'new\n');
    const bundle = await scene.bundleFrom(workspace, { result: { stopReason: 'max_turns' } });
    const reason = 'the merge with `main` is not finished';
    expect(bundle).toMatchObject({ mergeParent: null, changes: [], leftOut: [{ path: 'c.txt', reason }] });
    expect(scene.validate(bundle).kind).toBe('bundle');
  });

  test('of a run that was cut before it did anything is told all the same', async () => {
    const scene = await open();
    const bundle = await scene.bundleFrom(await scene.prepare(), { result: { stopReason: 'max_turns' } });
    expect(bundle).toMatchObject({ mergeParent: null, leftOut: [] });
    expect(bundle.notices).toEqual(['The merge with `main` is not finished, so nothing of it is pushed.']);
  });
});

describe('a merge without a conflict', () => {
  const clean: Partial<Histories> = {
    ours: (place) => place.write('a.txt', body('ours')),
    theirs: (place) => place.write('b.txt', 'changed\n'),
  };

  test('is work to verify, though the run changes nothing', async () => {
    const scene = await open(clean);
    const { verification, collect } = await scene.prepare();
    expect(await verification.begin(never)).toBe(true);
    await verification.end(never);
    expect(verification.workAtEnd(await collect(never))).toEqual({ isChanged: true, isVerified: true });
  });

  test('that does not pass is pushed and said, as other work is; of a run that was cut nothing is', async () => {
    const scene = await open(clean);
    const workspace = await scene.prepare();
    const error = { code: 'VERIFY_FAILED', message: '`npm test` (verify_command) ended with exit code 1.' };
    expect((await scene.bundleFrom(workspace, { result: { error } })).mergeParent).toBe(scene.base);
    expect((await scene.bundleFrom(workspace, { result: { stopReason: 'max_turns' } })).mergeParent).toBeNull();
  });
});

describe('a second parent', () => {
  test('is refused where the request asks for no merge, and where it is another commit', async () => {
    const scene = await open();
    const workspace = await scene.prepare();
    scene.place.write('a.txt', body('both'));
    const bundle = await scene.bundleFrom(workspace);
    const plain = { ...scene.plan, mergesBase: false };
    const forPlain = await scene.bundleFrom(workspace, { plan: plain });
    expect(scene.validate(forPlain, plain)).toMatchObject({ code: 'merge_parent' });
    expect(scene.validate({ ...bundle, mergeParent: scene.head })).toMatchObject({ code: 'merge_parent' });
    const { merge: _merge, ...without } = bundle;
    expect(scene.validate(without)).toMatchObject({ code: 'merge_parent' });
    expect(scene.validate({ ...bundle, mergeParent: null })).toMatchObject({ code: 'merge_parent' });
  });
});

describe('a merge that cannot be', () => {
  test('is none where the base is in the branch already', async () => {
    const scene = await open();
    scene.place.git('merge', '--quiet', '-s', 'ours', scene.base);
    const head = scene.place.git('rev-parse', 'HEAD').trim();
    const workspace = await scene.prepare({ checkoutSha: head });
    expect(workspace.merge).toEqual({ kind: 'up_to_date' });
    expect(workspace.notices).toEqual([
      `\`main\` (${scene.base.slice(0, 7)}) is in this branch already: there was nothing to merge.`,
    ]);
    expect(await scene.bundleFrom(workspace)).toMatchObject({ mergeParent: null, changes: [] });
  });

  test.each([
    ['a file that no commit has', 'new.txt'],
    ['a change that no commit has', 'b.txt'],
  ])('leaves %s as it is, and says what is in the way', async (_name, path) => {
    const scene = await open({
      theirs: (place) => {
        place.write('b.txt', 'changed\n');
        place.write('new.txt', 'theirs\n');
      },
    });
    scene.place.write(path, 'local\n');
    const { merge } = await scene.prepare();
    expect(merge).toMatchObject({ kind: 'impossible', why: expect.stringContaining(path) });
    expect(readFileSync(join(scene.place.workDir, path), 'utf8')).toBe('local\n');
    expect(scene.place.git('status', '--porcelain').trim().split('\n')).toHaveLength(1);
  });

  test('is one of histories that have nothing in common', async () => {
    const scene = await open();
    const other = scene.place.git('commit-tree', '-m', 'other', `${scene.base}^{tree}`).trim();
    const { merge } = await scene.prepare({ base: { branch: 'main', sha: other } });
    expect(merge).toEqual({ kind: 'impossible', why: 'no common commit of both was found' });
  });
});

describe('a shallow checkout', () => {
  test('is deepened until the histories meet', async () => {
    const scene = await open();
    const { hub } = scene.stage;
    const dir = join(scene.place.root, 'shallow');
    const token = hub.issueToken('github-actions[bot]');
    const where = { serverUrl: hub.serverUrl, owner: 'acme', repo: 'shop', persistCredentials: false };
    await checkoutRepository({ ...where, token, ref: 'refs/heads/feature', dir });
    const shallow = placeAt(scene.place.root, dir);
    expect(shallow.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
    const workspace = await scene.prepare({}, dir);
    expect(workspace.merge).toMatchObject({ kind: 'merged' });
    shallow.write('a.txt', body('both'));
    const collected = await workspace.collect(never);
    expect(collected.changes.map(({ path }) => path)).toEqual(['a.txt']);
  });
});

describe('a protected path', () => {
  const workflow = '.github/workflows/ci.yml';

  test('that the pull request alone changed stays as it has it', async () => {
    const scene = await open({
      ours: (place) => {
        conflict.ours(place);
        place.write(workflow, 'on: push\n');
      },
    });
    const workspace = await scene.prepare();
    scene.place.write('a.txt', body('both'));
    const validated = scene.validate(await scene.bundleFrom(workspace));
    if (validated.kind === 'refusal') throw new Error(validated.message);
    await scene.publish(validated.bundle);
    expect(await scene.stage.fileAt('feature', workflow)).toBe('on: push');
    expect(await scene.stage.fileAt('feature', 'a.txt')).toBe(body('both').trim());
  });

  test.each(['known', 'delete'] as const)(
    'gets nothing that the pull request has not (%s), whatever the bundle says',
    async (kind) => {
      const scene = await open({ files: { ...conflict.files, [workflow]: 'on: push\n' } });
      const workspace = await scene.prepare();
      scene.place.write('a.txt', body('both'));
      const bundle = await scene.bundleFrom(workspace);
      const sha = scene.place.git('rev-parse', `${scene.base}:b.txt`).trim();
      const forged =
        kind === 'delete' ? { kind, path: workflow } : { kind, path: workflow, isNew: false, mode: '100644' as const, sha };
      const { paths = [], conflicts = [] } = bundle.merge ?? {};
      const validated = scene.validate({ ...bundle, merge: { paths: [...paths, forged], conflicts } });
      if (validated.kind === 'refusal') throw new Error(validated.message);
      await scene.publish(validated.bundle);
      expect(await scene.stage.hub.git('rev-parse', 'refs/heads/feature')).toBe(scene.head);
      expect(scene.stage.replies()[0]).toContain(`Nothing was pushed: "${workflow}" is protected`);
    },
  );
});

describe('the reply of a merge', () => {
  test('says what was merged and resolved, and what stands as git left it', async () => {
    const scene = await open({
      files: { ...conflict.files, 'logo.png': Buffer.from([0, 1]) },
      ours: (place) => {
        conflict.ours(place);
        place.write('logo.png', Buffer.from([0, 2]));
      },
      theirs: (place) => {
        conflict.theirs(place);
        place.write('logo.png', Buffer.from([0, 3]));
      },
    });
    const workspace = await scene.prepare();
    scene.place.write('a.txt', body('both'));
    const validated = scene.validate(await scene.bundleFrom(workspace));
    if (validated.kind === 'refusal') throw new Error(validated.message);
    await scene.publish(validated.bundle);
    const [reply = ''] = scene.stage.replies();
    expect(reply).toContain(`> Merged \`main\` (${scene.base.slice(0, 7)}) into this branch; resolved: \`a.txt\`.`);
    expect(reply).toContain('> Look at `logo.png`, which stands as git left it: `Cannot merge binary files: logo.png');
    expect(await scene.stage.hub.git('log', '-1', '--format=%s', 'refs/heads/feature')).toBe("Merge branch 'main' into feature");
  });

  test('on a head that moved is a branch of its own with both parents', async () => {
    const scene = await open();
    const workspace = await scene.prepare();
    scene.place.write('a.txt', body('both'));
    const { hub } = scene.stage;
    await hub.pushCommit({ branch: 'feature', files: { 'later.txt': 'later\n' }, message: 'later' });
    const validated = scene.validate(await scene.bundleFrom(workspace));
    if (validated.kind === 'refusal') throw new Error(validated.message);
    const { branchName } = await scene.publish(validated.bundle);
    expect(branchName).toBe(scene.plan.branchName);
    expect(await hub.git('log', '-1', '--format=%P', `refs/heads/${branchName}`)).toBe(`${scene.head} ${scene.base}`);
  });

  test('whose push GitHub refuses has the diff, and what the token may lack', async () => {
    const scene = await open();
    const workspace = await scene.prepare();
    scene.place.write('a.txt', body('both'));
    const { hub } = scene.stage;
    const validated = scene.validate(await scene.bundleFrom(workspace));
    if (validated.kind === 'refusal') throw new Error(validated.message);
    hub.configure({ protectedBranches: ['feature', scene.plan.branchName] });
    hub.fail({
      method: 'POST',
      path: /\/git\/refs$/,
      status: 403,
      times: 30,
      body: { message: 'Resource not accessible by integration' },
    });
    await scene.publish(validated.bundle);
    const [reply = ''] = scene.stage.replies();
    expect(reply).toContain('is not pushed; the diff holds what was done on top of it');
    expect(reply).toContain('+both');
    expect(await hub.git('rev-parse', 'refs/heads/feature')).toBe(scene.head);
  });
});
