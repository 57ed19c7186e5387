import { describe, expect, test } from '@jest/globals';
import { checkerOf } from './scene.ts';

const { bash } = checkerOf({
  allowedTools: 'bash(a:*), bash(echo:*)',
  permissionRules: 'deny bash(git push:*)\ndeny bash(a b c *)',
});

/** `unit` as often as it takes, to just below what the tool takes; what took time by the square would take hours. */
function fill(unit: string, before = '', after = ''): string {
  return before + unit.repeat(Math.floor((128 * 1024 - 16 - before.length - after.length) / unit.length)) + after;
}

describe('commands of 128 KB', () => {
  test.each([
    ['words', fill('a ', 'a '), 'allow'],
    ['commands', fill('a;'), 'allow'],
    ['a pipeline', fill('a | ', '', 'a'), 'allow'],
    ['quotes', fill("'a'", 'a '), 'allow'],
    ['unknown words', fill('$x ', 'a '), 'deny'],
    ['commands in words', fill('$(a)', 'echo "', '"'), 'allow'],
    ['documents', fill('a <<E\nx\nE\n'), 'allow'],
    ['documents on one line', `a ${'<<E '.repeat(20_000)}\n${'E\n'.repeat(20_000)}`, 'allow'],
    ['a document', fill('line $x\n', 'a <<E\n', 'E'), 'allow'],
    ['sums', fill('1+', 'echo $((', '1))'), 'allow'],
    ['patterns', fill('a|', 'case a in ', 'a) a;; esac'), 'allow'],
    ['tests', fill('!=', '[[ ', ' ]]'), 'none'],
    ['actions of find', fill('-exec a \\; ', 'find . '), 'deny'],
    ['wrappers', fill('sudo ', '', 'a'), 'deny'],
    ['an unknown wrapper', fill('git ', 'strace '), 'deny'],
    ['wrappers in wrappers', `${'strace '.repeat(39)}a`, 'deny'],
    ['a script in wrappers', fill('a;', `${'strace '.repeat(20)}'`, "'"), 'deny'],
    ['an expansion that is none', fill('a*', 'echo ${x:-', '"}'), 'deny'],
    ['open parentheses', fill('('), 'deny'],
    ['open commands in words', fill('$('), 'deny'],
    ['keywords', fill('if '), 'deny'],
    ['coprocesses', fill('coproc ', '', 'a'), 'deny'],
    ['shells in shells', `${"bash -c '".repeat(14)}a${"'".repeat(14)}`, 'deny'],
    ['nested lists', `${'( '.repeat(200)}a${' )'.repeat(200)}`, 'allow'],
    ['nested commands in words', `${'echo $('.repeat(100)}a${')'.repeat(100)}`, 'allow'],
    ['a byte too much', 'a '.repeat(70_000), 'deny'],
  ])('%s are judged', async (_, command, kind) => {
    expect((await bash(command)).kind).toBe(kind);
  });
});
