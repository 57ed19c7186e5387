// One decision for both sides: what a tool may not write, publish may not commit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { refuseLink, refusePath } from '../../src/github/change/change-path.ts';
import { isGitFolder } from '../../src/schema/git-folder.ts';
import { safePath } from '../../src/tools/safe-path.ts';

const workDir = mkdtempSync(path.join(tmpdir(), 'git-folder-'));
afterAll(() => rmSync(workDir, { recursive: true }));

describe('.git', () => {
  test.each([
    '.git',
    '.GIT',
    '.Git. .',
    '.git::$INDEX_ALLOCATION',
    '.git:a\nb',
    'git~1',
    'GIT~2',
    '.g\u200cit',
    '.g\u3164it',
    '．git',
  ])('is meant by %j, for the tools and for what is published (E8, F5)', (name) => {
    expect(isGitFolder(name)).toBe(true);
    expect(() => safePath(workDir, `a/${name}/config`, 'write')).toThrow(expect.objectContaining({ code: 'PATH_PROTECTED' }));
    expect(refusePath(`a/${name}/config`)).not.toBeNull();
    expect(refuseLink('link', `a/${name}`)).not.toBeNull();
  });

  test.each(['.gitignore', '.github', 'git', 'git~', 'x.git', '.git-blame-ignore-revs', 'agit~1'])(
    'is not meant by %j',
    (name) => {
      expect(isGitFolder(name)).toBe(false);
      expect(refusePath(`a/${name}/config`)).toBeNull();
      expect(safePath(workDir, name, 'write')).toContain(name);
    },
  );
});
