import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { useWorkspace } from '../workspace.ts';

const workspace = useWorkspace();

/** A command that asks is not to come near this. */
const seconds = 20;
const bash = (command: string) => workspace().call('bash', { command, timeout_secs: seconds });

const repository =
  'git init -q -b main . && git config user.name a && git config user.email a@b.c && for i in 1 2 3; do echo $i > f; git add f; git commit -qm "c$i"; done';

function isThere(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Only where the machine has what is asked for; the first word names it. */
const cases = (rows: readonly (readonly [command: string, expected: RegExp])[]) =>
  rows.filter(([command]) => isThere(command.split(' ')[0] ?? ''));

describe('a command that reads its input finds the end of it:', () => {
  test.each(
    cases([
      ['cat', /^\[exit code 0, no output\]$/],
      ['read x; echo got:$x', /^got:\n\[exit code 0\]$/],
      ['read -s -p "Password: " x; echo got:$x', /^got:\n/],
      ['python3 -c "input()"', /EOFError: EOF when reading a line\n\[exit code 1\]$/],
      ['python3 -c "import getpass; getpass.getpass()"', /EOFError\n\[exit code 1\]$/],
      ['python3', /^\[exit code 0, no output\]$/],
      ['bash', /^\[exit code 0, no output\]$/],
      ['sort', /^\[exit code 0, no output\]$/],
      ['rg harness9-g505', /exit code [12]/],
      ['perl -e \'print defined(<STDIN>) ? "some" : "none"\'', /^none\n\[exit code 0\]$/],
      ['touch f; rm -i f; ls f', /^f\n\[stderr\]\nrm: remove .*\n\[exit code 0\]$/],
      ['npm init >/dev/null && ls package.json', /^package\.json\n/],
    ]),
  )('G5-05 %s', async (command, expected) => {
    expect((await bash(command)).text).toMatch(expected);
  });

  test('G5-05 npm exec of a package that is not there is not asked about', async () => {
    const { text, isError } = await bash('npm exec --offline harness9-no-such-package');
    expect([isError, text.includes('timed out')]).toEqual([true, false]);
  });
});

describe('no editor and no pager waits for anybody:', () => {
  test.each([
    ['git commit --amend', /\[main [0-9a-f]+\] c3\n/],
    ['git rebase -i HEAD~2', /Successfully rebased/],
    ['echo 4 > f; git commit -a', /Aborting commit due to empty commit message\.\n\[exit code 1\]$/],
    ['git tag -a v1', /no tag message\?\n\[exit code 128\]$/],
    ['git merge --no-ff --no-commit HEAD && git merge --continue', /exit code \d+/],
    ['git -c core.editor=vim commit --amend', /\[main [0-9a-f]+\] c3\n/],
    ['git -c core.pager=less log -p', /\n\+1\n\[exit code 0\]$/],
    ['git add -p', /\[exit code 0\]$/],
    ['for i in $(seq 2000); do echo $i >> f; done; git diff', /\n\+2000\n\[exit code 0\]$/],
  ])('G5-06 %s', async (command, expected) => {
    expect((await bash(`${repository} && ${command}`)).text).toMatch(expected);
  });

  test.each(
    cases([
      ['vim f', /Output is not to a terminal[\s\S]*\[exit code 1\]$/],
      ['view f', /\[exit code 1\]$/],
      ['vim -es -c "%s/old/new/" -c wq f; cat f', /^new\n\[exit code 0\]$/],
      ['ed f', /^4\n\[exit code 0\]$/],
      ['nano f', /\[exit code [1-9]/],
      ['emacs -nw f', /\[exit code [1-9]/],
      ['less f', /^old\n\[exit code 0\]$/],
      ['more f', /^old\n\[exit code 0\]$/m],
      ['man ls', /directory contents[\s\S]*\[exit code 0\]$/],
      ['top', /tty get\n\[exit code 1\]$/],
    ]),
  )('G5-06 %s', async (command, expected) => {
    expect((await bash(`echo old > f; ${command}`)).text).toMatch(expected);
  });

  test('G5-06 GIT_EDITOR=vim git commit --amend', async () => {
    if (isThere('vim')) expect((await bash(`${repository} && GIT_EDITOR=vim git commit --amend`)).text).toMatch(/exit code 1\]$/);
  });

  test('G5-06 there is no terminal, by any of its names', async () => {
    const { text } = await bash('read x < /dev/tty; tty; stty -a; test -t 0 || test -t 1 || test -t 2 || echo none');
    expect(text).toMatch(/^not a tty\nnone\n\[stderr\]\n.*\/dev\/tty: No such device or address\n/);
  });
});

describe('whoever asks for a password or a yes gets no answer at once:', () => {
  test.each(['clone', 'ls-remote'])('G5-07 git %s', async (verb) => {
    const server = createServer((_request, response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { text, isError } = await bash(`git ${verb} http://127.0.0.1:${port}/x`);
    server.close();
    expect([isError, text.includes('timed out'), text.includes('exit code 128')]).toEqual([true, false, true]);
  });

  test.each(
    cases([
      ['ssh -p 1 nobody@127.0.0.1 true', /\[exit code 255\]$/],
      ['ssh-keygen -t ed25519', /\[exit code [1-9]/],
      ['gpg --full-generate-key', /dev\/tty[\s\S]*\[exit code 2\]$/],
      ['sudo -k; sudo id', /\[exit code [01]/],
      ['passwd', /\[exit code [1-9]/],
      ['openssl genrsa -aes256 512', /\[exit code [1-9]/],
    ]),
  )('G5-07 %s', async (command, expected) => {
    expect((await bash(command)).text).toMatch(expected);
  });

  test('G5-07 programs are told that nobody is there', async () => {
    const names = [
      'DEBIAN_FRONTEND',
      'GIT_TERMINAL_PROMPT',
      'CI',
      'TERM',
      'PIP_NO_INPUT',
      'GIT_ASKPASS',
      'SSH_ASKPASS',
      'SUDO_ASKPASS',
    ];
    const { text } = await bash(`echo ${names.map((name) => `$${name}`).join(' ')}; $GIT_ASKPASS; echo $?`);
    expect(text).toBe('noninteractive 0 true dumb 1 /bin/false /bin/false /bin/false\n1\n[exit code 0]');
  });
});

describe('the streams of a command', () => {
  test.each([
    'echo x > /dev/stderr',
    'echo x > /dev/stdout',
    'echo x | tee /dev/stderr',
    'echo x > /proc/self/fd/2',
    'bash -c "echo x >> /dev/stderr"',
  ])('are files that can be opened: %s', async (command) => {
    const { text, isError } = await bash(command);
    expect([text.includes('x\n'), isError]).toEqual([true, false]);
  });

  test.each(['read -u 2 x; echo read $?', 'read -u 1 x; echo read $?'])('can only be written: %s', async (command) => {
    expect((await bash(command)).text).toContain('read 1\n');
  });
});
