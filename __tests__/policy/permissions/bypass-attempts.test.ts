import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { checkerOf } from './scene.ts';

/** Builtins and programs that run others: each is allowed with whatever words, so that what it does besides must be found. */
const runners =
  'printf read test [ cd export set declare local let unset mapfile readarray wait eval trap bash sh xargs env source . getopts shopt typeset ' +
  'readonly exec command builtin time timeout nohup return exit kill jobs umask dirs pushd popd history fc help caller times disown bg fg';

const wide = checkerOf({
  allowedTools:
    [...runners.split(' '), 'echo', 'npm test', 'cat'].map((words) => `bash(${words}:*)`).join(', ') +
    ', bash(git status), read_file, write_file',
});
const narrow = checkerOf({ disallowedTools: 'bash(evil:*), bash(git push:*)' });

const attempts = z
  .array(z.string())
  .parse(JSON.parse(readFileSync(path.join(import.meta.dirname, 'bypass-attempts.json'), 'utf8')));

// Each line was seen to run `evil`, or git with `push`, in bash 5.2.
describe('ways around the rules', () => {
  test.each(attempts)('%j is not allowed, and is denied', async (line) => {
    expect([(await wide.bash(line)).kind, (await narrow.bash(line)).kind]).toEqual(['deny', 'deny']);
  });
});
