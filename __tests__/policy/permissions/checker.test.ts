import { describe, expect, test } from '@jest/globals';
import { createCallMatcher } from '../../../src/policy/permissions/checker.ts';
import { parseMatcher } from '../../../src/policy/permissions/rules.ts';
import { checkerOf, parts, workDir } from './scene.ts';

describe('[spec 9 permission control] calls of tools', () => {
  const { call } = checkerOf({
    permissionRules: [
      'allow read_file(src/**)',
      'deny read_file(.env)',
      'deny read_file(/secrets/)',
      'ask write_file(docs/*.md)',
      'allow use_skill(review-*)',
      'deny task(deployer)',
      'deny mcp__github__delete_*',
      'ask mcp__*',
      'allow grep(src)',
      'allow grep(lib/**)',
      'deny grep(lib/private/**)',
      'deny glob(/)',
    ].join('\n'),
  });

  test.each([
    ['read_file', { path: 'src/a/b.ts' }, 'allow'],
    ['read_file', { path: `${workDir}/src/a.ts` }, 'allow'],
    ['read_file', { path: './src/../src/a.ts' }, 'allow'],
    ['read_file', { path: 'src/../lib/a.ts' }, 'none'],
    ['read_file', { path: 'src/../../src/a.ts' }, 'none'],
    ['read_file', { path: '/etc/src/a.ts' }, 'none'],
    ['read_file', { path: '.env' }, 'deny'],
    ['read_file', { path: 'src/.env' }, 'deny'],
    ['read_file', { path: 'src/.ENV' }, 'deny'],
    ['read_file', { path: 'src/.env/x' }, 'deny'],
    ['read_file', { path: 'secrets' }, 'deny'],
    ['read_file', { path: 'secrets/a/b' }, 'deny'],
    ['read_file', { path: 'lib/secrets/a' }, 'none'],
    ['read_file', { path: 'src/a\0' }, 'deny'],
    ['read_file', { path: 7 }, 'deny'],
    ['read_file', {}, 'deny'],
    ['write_file', { path: 'docs/a.md', content: '' }, 'ask'],
    ['write_file', { path: 'docs/a/b.md', content: '' }, 'none'],
    ['edit_file', { path: '.env' }, 'none'],
    ['use_skill', { skill_name: 'Review Code' }, 'allow'],
    ['use_skill', { skill_name: 'deploy' }, 'none'],
    ['task', { agent: ' Deployer ', prompt: 'x' }, 'deny'],
    ['task', { agent: 'tester', prompt: 'x' }, 'none'],
    ['mcp__github__delete_branch', {}, 'deny'],
    ['mcp__github__get', {}, 'ask'],
    ['grep', { pattern: 'x', path: 'src/a' }, 'allow'],
    ['grep', { pattern: 'x', path: 'lib' }, 'allow'],
    ['grep', { pattern: 'x', path: 'lib/a/' }, 'allow'],
    ['grep', { pattern: 'x', path: 'lib/private' }, 'deny'],
    ['grep', { pattern: 'x', path: 'library' }, 'none'],
    ['grep', { pattern: 'x' }, 'none'],
    ['glob', { pattern: '*' }, 'deny'],
    ['bash', { command: 'cat .env' }, 'none'],
  ])('%s %j is answered with %s', async (name, args, kind) => {
    expect((await call(name, args)).kind).toBe(kind);
  });

  test('without patterns for commands these are not read: the tool as a whole is judged', async () => {
    const whole = checkerOf({ permissionRules: 'allow bash\nallow write_file(.github/**)' });
    expect(await whole.bash('echo "')).toEqual({ kind: 'allow', rule: 'bash (permission_rules, line 1)' });
    expect((await checkerOf({ permissionRules: 'ask bash' }).bash('echo "')).kind).toBe('ask');
    expect((await checkerOf({ disallowedTools: 'bash(*)' }).bash('true')).kind).toBe('deny');
  });

  test.each([
    ['deny write_file(migrations/**)', 'deny', 'none'],
    ['deny write_file(migrations/**)\ndeny edit_file(migrations/**)', 'deny', 'none'],
    ['allow bash\ndeny write_file(migrations/**)', 'deny', 'allow'],
    ['ask bash\ndeny write_file(migrations/**)', 'deny', 'ask'],
    ['ask write_file(migrations/**)', 'ask', 'none'],
    ['ask bash\nask write_file(migrations/**)', 'ask', 'ask'],
    ['deny write_*', 'deny', 'deny'],
    ['allow write_file(migrations/**)', 'none', 'none'],
  ])('%j: a redirect to there is answered with %s, one to elsewhere with %s', async (permissionRules, there, elsewhere) => {
    const { bash } = checkerOf({ permissionRules });
    for (const line of ['echo x > migrations/1', 'bash -c "echo x >> migrations/1"', 'cat <<EOF >| migrations/1\nx\nEOF'])
      expect([line, (await bash(line)).kind]).toEqual([line, there]);
    expect((await bash('echo x > out/1')).kind).toBe(elsewhere);
  });

  test.each([
    ['write_file, edit_file', 'echo x > a', 'deny'],
    ['write_file, edit_file', 'npm test 2>/dev/null', 'none'],
    ['read_file(migrations/**)', 'cat < migrations/1.sql', 'deny'],
    ['read_file(migrations/**)', 'echo x > migrations/1.sql', 'none'],
    ['write_file(a)', 'x="echo > a"; eval "$x"', 'deny'],
    ['write_file(a)', 'echo > "$x"', 'deny'],
    ['write_file(a)', 'echo "', 'deny'],
    ['write_file(a)', 'echo > "a" $(', 'deny'],
  ])('with %s denied alone, %j is answered with %s: a redirect needs no rule about bash', async (disallowedTools, line, kind) => {
    expect((await checkerOf({ disallowedTools }).bash(line)).kind).toBe(kind);
  });

  test('a whole tool that is allowed stays so beside a pattern that denies some of it', async () => {
    const { bash } = checkerOf({ allowedTools: 'bash', disallowedTools: 'bash(git push:*)' });
    expect((await bash('make > log; X=1 f=2')).kind).toBe('allow');
    expect((await bash('make; git push')).kind).toBe('deny');
    expect((await bash('echo "')).kind).toBe('deny');
  });

  test('where a list says what is allowed, the own tools of a run need not be in it, and are held to it where they are', async () => {
    const listed = checkerOf({ allowedTools: 'read_file, use_skill(review)', disallowedTools: 'task' });
    expect((await listed.call('todo_write', { todos: [] })).kind).toBe('none');
    expect((await listed.call('use_skill', { skill_name: 'review' })).kind).toBe('allow');
    expect((await listed.call('use_skill', { skill_name: 'deploy' })).kind).toBe('deny');
    expect((await listed.call('task', { agent: 'x' })).kind).toBe('deny');
    expect((await listed.call('write_file', { path: 'a' })).kind).toBe('deny');
    expect((await listed.call('invented', {})).kind).toBe('deny');
  });

  test('the order of the rules says nothing: the strictest that matches wins', async () => {
    const lines = [
      'allow bash(git:*)',
      'ask bash(git push:*)',
      'deny bash(git push --force:*)',
      'allow bash(git push origin main)',
      'ask bash(git fetch)',
    ];
    const asked = ['git push --force', 'git push origin main', 'git fetch', 'git status', 'ls'];
    for (const turned of [lines, lines.toReversed(), [...lines.slice(2), ...lines.slice(0, 2)]]) {
      const { bash } = checkerOf({ permissionRules: turned.join('\n') });
      expect(await Promise.all(asked.map(async (line) => (await bash(line)).kind))).toEqual([
        'deny',
        'ask',
        'ask',
        'allow',
        'none',
      ]);
    }
  });
});

describe('denials', () => {
  test('a denied command is told with the rule as it was written, where it comes from, the part of it, and what to do', async () => {
    const answer = await checkerOf({ disallowedTools: 'task,\nbash(git push:*)' }).bash('npm test &&\n git push origin main');
    expect(answer).toEqual({
      kind: 'deny',
      text:
        '"bash" was not run: `git push origin main` is denied by the rule bash(git push:*) (disallowed_tools, line 2). ' +
        'Do the rest without it, and do not try to get the same in another way; if the task needs it, say so in your answer.',
      why: 'by the rule `bash(git push:*)` (disallowed_tools, line 2)',
    });
  });

  test('what is not in the list is told with what is', async () => {
    const { bash, call } = checkerOf({ allowedTools: 'bash(npm test:*), bash(ls)' });
    expect(await bash('npm test; rm x')).toEqual({
      kind: 'deny',
      text:
        '"bash" was not run: there is a list of all that may run (allowed_tools), and nothing on it covers `rm x`. Of "bash" these are on it: ' +
        'bash(npm test:*), bash(ls). Use what is on it, written as it stands there, and say in your answer what could not be done.',
      why: 'since it is not on the list of all that may run (allowed_tools)',
    });
    expect(await call('write_file', { path: 'x' })).toMatchObject({
      text: expect.stringContaining('Nothing of "write_file" is on it.'),
    });
  });

  test('what cannot be read is told as that, with how to write it', async () => {
    const answer = await checkerOf({ allowedTools: 'bash(npm test:*)' }).bash('echo `echo \\`rm x\\``');
    expect(answer).toMatchObject({
      kind: 'deny',
      text: expect.stringMatching(/cannot be sure what .* write \$\(…\)\. Write it in a plainer way/),
    });
  });

  test('a long command is cut, and its lines are one', async () => {
    const answer = await checkerOf({ disallowedTools: 'bash(echo:*)' }).bash(`echo "a\n\n${'b'.repeat(100_000)}"`);
    expect(answer).toMatchObject({ text: expect.stringMatching(/^"bash" was not run: `echo "a b{100,}…` is denied/) });
    expect(JSON.stringify(answer).length).toBeLessThan(800);
  });
});

describe('matchers for hooks', () => {
  test.each([
    ['bash(git push:*)', 'bash', { command: 'a && git push' }, true],
    ['bash(git push:*)', 'bash', { command: '$x' }, true],
    ['bash(git push:*)', 'bash', { command: 'echo "' }, true],
    ['bash(git push:*)', 'bash', { command: 'git pull' }, false],
    ['bash(git push:*)', 'read_file', { path: 'x' }, false],
    ['mcp__*', 'mcp__a__b', {}, true],
    ['write_file(src/**)', 'write_file', { path: 'src/x' }, true],
    ['write_file(src/**)', 'write_file', { path: 'lib/x' }, false],
    ['write_file(src/**)', 'bash', { command: 'echo > src/x' }, false],
    ['write_file', 'bash', { command: 'echo "' }, false],
  ])('%s is about %s %j or not', async (pattern, name, args, isAbout) => {
    const matches = createCallMatcher(parseMatcher(pattern, 'hooks'), parts);
    expect(await matches({ id: '1', name, arguments: JSON.stringify(args) })).toBe(isAbout);
  });

  test('a pattern that is none is refused with whose it is', () => {
    expect(() => parseMatcher('bash(a|b)', 'hooks "format"')).toThrow('hooks "format": "bash(a|b)" is no rule');
  });
});
