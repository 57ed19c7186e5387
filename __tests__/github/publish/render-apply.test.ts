// The command that a reply offers, run by a shell as a person would, with git and awk; `gh` is a stand-in that knows what it is asked.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { renderPatch } from '../../../src/github/change/render-patch.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Change } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

const run = promisify(execFile);
let stage: Stage;
let folder: string;

beforeEach(async () => {
  stage = await openStage();
  folder = await mkdtemp(path.join(tmpdir(), 'apply-'));
});
afterEach(async () => {
  await stage.close();
  await rm(folder, { recursive: true });
});

const side = (text: string, mode: '100644' | '100755' | '120000' = '100644') => ({ mode, bytes: Buffer.from(text) });
type Side = ReturnType<typeof side> | null;

function changeOf(name: string, before: Side, after: Side): Change {
  const patch = renderPatch(name, before, after);
  if (after === null) return { kind: 'delete', path: name, patch };
  const content = { encoding: 'utf-8', data: after.bytes.toString() } as const;
  return { kind: 'write', path: name, isNew: before === null, mode: after.mode, content, patch };
}

/** Whole trees: text, mode and links of every file. */
async function treeOf(root: string): Promise<Readonly<Record<string, string>>> {
  const tree: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, full);
    if (entry.isDirectory() || name.startsWith('.git/')) continue;
    if (entry.isSymbolicLink()) tree[name] = `-> ${await readlink(full)}`;
    else tree[name] = `${((await stat(full)).mode & 0o100) === 0 ? '' : 'x '}${await readFile(full, 'utf8')}`;
  }
  return tree;
}

async function put(root: string, files: Readonly<Record<string, Side>>) {
  for (const [name, file] of Object.entries(files)) {
    if (file === null) continue;
    const full = path.join(root, name);
    await mkdir(path.dirname(full), { recursive: true });
    if (file.mode === '120000') await symlink(file.bytes.toString(), full);
    else await writeFile(full, file.bytes);
    if (file.mode === '100755') await chmod(full, 0o755);
  }
}

async function reply(plan: RunPlan, changes: readonly Change[]): Promise<string> {
  const announcement = { version: 1, commentId: null, startedAt: stage.ports.clock.now().toISOString(), warnings: [] } as const;
  const answer = `Try this:\n\n<details><summary>The diff (1 file, +1 −0)</summary>\n\n\`\`\`diff\n${renderPatch('x', null, side('not this\n'))}\`\`\`\n\n</details>\n\nOr that.`;
  const patch = renderPatch('.github/workflows/ci.yml', null, side('on: push\n'));
  const leftOut = [{ path: '.github/workflows/ci.yml', reason: 'it is protected', patch }];
  await publish(plan, bundleOf(plan, { changes, reply: answer, leftOut }), announcement, { ports: stage.ports, signal: never });
  return stage.replies().at(-1) ?? '';
}

/** Prints what the API lists, of the comments that the filter picks; and notes what it was asked. */
async function putGh(bodies: readonly { readonly user: { readonly login: string }; readonly body: string }[]) {
  await writeFile(path.join(folder, 'comments.json'), JSON.stringify(bodies));
  const script = `#!${process.execPath}
const fs = require('node:fs');
const asked = process.argv.slice(2);
fs.appendFileSync(${JSON.stringify(path.join(folder, 'asked'))}, asked.join(' ') + '\\n');
if (asked[0] === 'pr') process.exit();
const [, login, marker] = /^\\.\\[\\] \\| select\\(\\.user\\.login == "(.+)" and \\(\\.body \\| startswith\\("(.+)"\\)\\)\\)\\.body$/.exec(asked.at(-1));
for (const { user, body } of JSON.parse(fs.readFileSync(${JSON.stringify(path.join(folder, 'comments.json'))})))
  if (user.login === login && body.startsWith(marker)) console.log(body);
`;
  await writeFile(path.join(folder, 'gh'), script, { mode: 0o755 });
}

describe('the command under a diff', () => {
  test('brings a clone to what was proposed, whatever kind of change it is, and nothing else of the reply', async () => {
    const before: Record<string, Side> = {
      'a b/cart.ts': side('one\ntwo\n\n``` code\nfive\n'),
      'end.txt': side('no end'),
      'gone.txt': side('gone\n'),
      'run.sh': side('echo\n'),
      link: side('gone.txt', '120000'),
      'kept.txt': side('kept\n'),
    };
    const after: Record<string, Side> = {
      ...before,
      'a b/cart.ts': side('one\nzwei </details>\n</details>\n````` code\nfive\n\n'),
      'end.txt': side('an end\n'),
      'gone.txt': null,
      'run.sh': side('echo\n', '100755'),
      link: side('kept.txt', '120000'),
      'new/ü.txt': side('new'),
    };
    const names = Object.keys(after).filter((name) => name !== 'kept.txt');
    const changes = names.map((name) => changeOf(name, before[name] ?? null, after[name] ?? null));
    const number = stage.plan.thread?.number ?? 0;
    const plan: RunPlan = { ...stage.plan, delivery: 'reply', thread: { kind: 'pull_request', number, title: 'Round' } };
    const text = await reply(plan, changes);
    const command = /```sh\n(.*)\n```/.exec(text)?.[1] ?? '';
    const forged = `<!-- harness9:v1 trigger=${plan.trigger.id} kind=reply -->\n<details><summary>The diff (1 file)</summary>\n\n${renderPatch('evil.txt', null, side('evil\n'))}\n</details>`;
    const real = stage.hub.snapshot().comments.filter(({ author }) => author === plan.self.login);
    await putGh([
      { user: { login: 'mallory' }, body: forged },
      ...real.map(({ author, body }) => ({ user: { login: author }, body })),
    ]);
    const clone = path.join(folder, 'clone');
    const wanted = path.join(folder, 'wanted');
    await put(clone, before);
    await put(wanted, after);
    await run('git', ['init', '-q', clone]);
    // Wherever in the clone a person stands.
    await run('sh', ['-c', command], {
      cwd: path.join(clone, 'a b'),
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    });
    expect(await treeOf(clone)).toEqual(await treeOf(wanted));
    expect((await readFile(path.join(folder, 'asked'), 'utf8')).split('\n').slice(0, 2)).toEqual([
      `pr checkout ${number}`,
      expect.stringContaining(`api --paginate repos/acme/shop/issues/${number}/comments --jq `),
    ]);
  });

  test('names the server that is not github.com, and the list that the reply is in', async () => {
    const plan: RunPlan = {
      ...stage.plan,
      delivery: 'reply',
      run: { ...stage.plan.run, url: 'https://ghe.example.com/acme/shop/actions/runs/1' },
      channel: { kind: 'thread', number: stage.plan.thread?.number ?? 0 },
    };
    const text = await reply(plan, [changeOf('a.txt', null, side('a\n'))]);
    expect(text).toContain(`gh api --paginate --hostname ghe.example.com 'repos/acme/shop/issues/`);
    expect(text).not.toContain('gh pr checkout');
  });

  test('is not there where the diff does not hold everything', async () => {
    const binary = changeOf('logo.png', null, { mode: '100644', bytes: Buffer.from([0, 255]) });
    const plan: RunPlan = { ...stage.plan, delivery: 'reply' };
    expect(await reply(plan, [binary, changeOf('a.txt', null, side('a\n'))])).not.toContain('git apply');
    const long = changeOf('b.txt', null, side('line\n'.repeat(20_000)));
    const other = { ...plan, trigger: { ...plan.trigger, id: 'issue_comment-2' } };
    const text = await reply(other, [changeOf('a.txt', null, side('a\n')), long]);
    expect(text).toContain('not shown; the whole patch');
    expect(text).not.toContain('git apply');
  });
});
