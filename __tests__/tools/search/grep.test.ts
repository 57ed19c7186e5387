// Which lines are found, how they are told, and what is said of what was not searched.
import { execFileSync } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createGrepTool } from '../../../src/tools/search/grep.ts';
import { useWorkspace } from '../workspace.ts';
import { grep, run, useTrees, withoutRipgrep } from './tree.ts';

const newTree = useTrees();

test('G6-25 what other searches are asked for is refused by how to say it here', async () => {
  const args = { pattern: 'a', output_mode: 'count', '-A': 1, type: 'ts', multiline: true };
  const { text, isError } = await run(createGrepTool({ workDir: newTree().dir }), args);
  expect([isError, text.split('\n').slice(1, -1)]).toEqual([
    true,
    [
      '- "output_mode" is not a field of this tool; for the files alone, with their counts, set files_only.',
      '- "-A" is not a field of this tool; give context, for lines before and after.',
      '- "type" is not a field of this tool; give glob, as in *.ts.',
      '- "multiline" is not a field of this tool; lines are searched one by one.',
    ],
  ]);
});

describe('a line', () => {
  test('is told with path and number, in the order of paths, and counted', async () => {
    const { dir, write } = newTree();
    write({ 'b.txt': 'x\nneedle 1\n\nneedle 2', 'a/c.txt': '  needle\n', 'a-b.txt': 'needle', 'a.txt': 'nothing' });
    expect(await grep(dir, { pattern: 'needle' })).toBe(
      'a-b.txt:1: needle\na/c.txt:1:   needle\nb.txt:2: needle 1\nb.txt:4: needle 2\n[4 matching lines in 3 files]',
    );
  });

  test('ends before the line end of Windows, and a line without text can be found', async () => {
    const { dir, write } = newTree();
    write({ 'a.txt': 'one\r\n\r\ntwo\r\n' });
    expect(await grep(dir, { pattern: 'one$' })).toBe('a.txt:1: one\n[1 matching line in 1 file]');
    expect(await grep(dir, { pattern: '^$' })).toBe('a.txt:2:\n[1 matching line in 1 file]');
    expect(await grep(dir, { pattern: '\\Atwo\\z' })).toBe('a.txt:3: two\n[1 matching line in 1 file]');
    expect(await grep(dir, { pattern: '\\s' })).toMatch(/^No line/);
  });

  test.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffnaïve\nend\n')],
    ['UTF-16, little end first', Buffer.from('\ufeffnaïve\nend\n', 'utf16le')],
    ['UTF-16, big end first', Buffer.from('\ufeffnaïve\nend\n', 'utf16le').swap16()],
    ['Latin-1', Buffer.from('naïve\nend\n', 'latin1')],
  ])('of a file in %s is found as read_file shows it', async (_name, bytes) => {
    const { dir, write } = newTree();
    write({ 'a.txt': bytes });
    expect(await grep(dir, { pattern: '^naï.e$' })).toBe('a.txt:1: naïve\n[1 matching line in 1 file]');
    expect(await grep(dir, { pattern: '^end$' })).toBe('a.txt:2: end\n[1 matching line in 1 file]');
  });

  test('that is not UTF-8 is found all the same, and a file with a NUL is none', async () => {
    const { dir, write } = newTree();
    write({
      'a.txt': Buffer.concat([Buffer.from('héé h\u00e9 '), Buffer.from([0xff]), Buffer.from(' needle\n')]),
      'b.bin': 'needle\0',
      'c.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]),
    });
    expect(await grep(dir, { pattern: '. needle' })).toBe('a.txt:1: héé hé \ufffd needle\n[1 matching line in 1 file]');
    expect(await grep(dir, { pattern: 'absent', ignore_case: true })).toBe(
      'No line matches "absent" in 1 text file of the workspace.\n[left out: 2 binary files]',
    );
  });

  test('is UTF-8 wherever a block of the file ends, also when it ends within the first character beyond ASCII', async () => {
    const { dir, write } = newTree();
    const blockBytes = 256 * 1024;
    for (const before of [1, 2, 3, 4, 5, 6, 7]) {
      write({ 'a.txt': `${'a'.repeat(blockBytes - before - 1)}\n中文 needle é\n${'b\n'.repeat(blockBytes)}` });
      expect(await grep(dir, { pattern: '^中.*é$' })).toBe('a.txt:2: 中文 needle é\n[1 matching line in 1 file]');
    }
  });

  test('that is long is cut around its match', async () => {
    const { dir, write } = newTree();
    write({ 'a.min.js': `${'x'.repeat(5000)}needle${'😀'.repeat(5000)}\n` });
    const [line = ''] = (await grep(dir, { pattern: 'needle' })).split('\n');
    expect(line).toMatch(/^a\.min\.js:1: …x{80}needle(?:😀)+\ufffd?… \[line cut: 15006 characters\]$/u);
    expect(line.length).toBeLessThan(400);
  });

  test('longer than memory should hold is searched at its beginning, which is said, and the lines after it keep their numbers', async () => {
    const { dir, write } = newTree();
    const long = 'x'.repeat(3 * 1024 * 1024);
    write({ 'a.txt': `one\nneedle ${long} late\ntwo\n${long}\nneedle\n` });
    expect(await grep(dir, { pattern: 'needle|late$' })).toMatch(
      /^a\.txt:2: needle x+… \[line cut: more than 1048576 characters\]\na\.txt:5: needle\n\[2 matching lines in 1 file; of 2 very long lines only the beginning was searched\]$/,
    );
  });

  test('of a file of hundreds of megabytes is found in little memory', async () => {
    const { dir, write } = newTree();
    write({ 'big.log': '' });
    const file = openSync(path.join(dir, 'big.log'), 'w');
    const block = Buffer.from('a line of a log that says nothing at all\n'.repeat(100_000));
    for (let at = 0; at < 40; at += 1) writeSync(file, block);
    closeSync(file);
    appendFileSync(path.join(dir, 'big.log'), 'needle\n');
    const before = process.memoryUsage().rss;
    expect(await grep(dir, { pattern: 'needle' })).toBe('big.log:4000001: needle\n[1 matching line in 1 file]');
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
  });
});

describe('lines around', () => {
  const text = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`).join('\n');

  test('a match are shown apart, once each, with gaps between them', async () => {
    const { dir, write } = newTree();
    write({ 'a.txt': text, 'b.txt': 'line 4' });
    expect(await grep(dir, { pattern: 'line (2|4|9)$', context: 1 })).toBe(
      [
        ...['a.txt-1- line 1', 'a.txt:2: line 2', 'a.txt-3- line 3', 'a.txt:4: line 4', 'a.txt-5- line 5', '--'],
        ...['a.txt-8- line 8', 'a.txt:9: line 9', 'a.txt-10- line 10', '--', 'b.txt:1: line 4', '[4 matching lines in 2 files]'],
      ].join('\n'),
    );
  });

  test('are those of the file, wherever a block of it ends', async () => {
    const { dir, write } = newTree();
    const lines = Array.from({ length: 40_000 }, (_, at) => `${at + 1} ${'y'.repeat(at % 37)}`);
    write({ 'a.txt': lines.join('\n') });
    for (const number of [1, 13_000, 13_107, 26_000, 39_999, 40_000]) {
      const answer = (await grep(dir, { pattern: `^${number} `, context: 2 })).split('\n').slice(0, -1);
      const expected = lines.slice(Math.max(0, number - 3), number + 2).map((line) => {
        const mark = line.startsWith(`${number} `) ? ':' : '-';
        return `a.txt${mark}${line.split(' ')[0]}${mark} ${line}`;
      });
      expect(answer).toEqual(expected);
    }
  });
});

describe('what is shown', () => {
  test('are the first 100 matches, or as many as are asked for, and the count of all', async () => {
    const { dir, write } = newTree();
    write({ 'a.txt': 'x\n'.repeat(90), 'b.txt': 'x\n'.repeat(90), 'c.txt': 'x\n' });
    const answer = (await grep(dir, { pattern: 'x' })).split('\n');
    expect([answer.length, answer[99], answer.at(-1)]).toEqual([
      101,
      'b.txt:10: x',
      '[the first 100 of 181 matching lines in 3 files; narrow it with path, glob or the pattern, or see files_only first]',
    ]);
    expect(await grep(dir, { pattern: 'x', max_results: 1 })).toMatch(/^a\.txt:1: x\n\[the first 1 of 181 /);
    expect((await grep(dir, { pattern: 'x', max_results: 5000 })).split('\n')).toHaveLength(182);
  });

  test('with files_only are the files with their counts', async () => {
    const { dir, write } = newTree();
    write({ 'a.txt': 'x\ny\nx', 'b/c.txt': 'x', 'd.txt': 'y' });
    expect(await grep(dir, { pattern: 'x', files_only: true, context: 3 })).toBe(
      'a.txt: 2\nb/c.txt: 1\n[3 matching lines in 2 files]',
    );
    expect(await grep(dir, { pattern: 'x', files_only: true, max_results: 1 })).toBe(
      'a.txt: 2\n[the first 1 files of 3 matching lines in 2 files; narrow it with path, glob or the pattern]',
    );
  });

  test('stays below what the registry cuts', async () => {
    const { dir, write } = newTree();
    write({ 'a.txt': `${'é'.repeat(290)}\n`.repeat(1000) });
    const answer = await grep(dir, { pattern: 'é', max_results: 1000 });
    expect(Buffer.byteLength(answer)).toBeLessThan(45_000);
    expect(answer.split('\n').at(-1)).toBe(
      '[1000 matching lines in 1 file, of which as many are shown as fit; narrow it with path, glob or the pattern]',
    );
  });

  test('is narrowed by path and glob, and a file that is named is searched whatever the glob', async () => {
    const { dir, write } = newTree();
    write({ 'src/a.ts': 'x', 'src/a.test.ts': 'x', 'src/b.js': 'x', 'src/deep/c.ts': 'x', 'd.ts': 'x' });
    const files = async (args: object) => (await grep(dir, { pattern: 'x', files_only: true, ...args })).split('\n').slice(0, -1);
    expect(await files({ path: 'src', glob: '*.ts' })).toEqual(['src/a.test.ts: 1', 'src/a.ts: 1', 'src/deep/c.ts: 1']);
    expect(await files({ glob: 'src/*.{ts,js}' })).toEqual(['src/a.test.ts: 1', 'src/a.ts: 1', 'src/b.js: 1']);
    expect(await files({ glob: '!*.test.ts', path: 'src' })).toEqual(['src/a.ts: 1', 'src/b.js: 1', 'src/deep/c.ts: 1']);
    expect(await files({ path: 'src/b.js', glob: '*.ts' })).toEqual(['src/b.js: 1']);
  });

  test('is no failure where nothing matches: what was searched is said, and what to try', async () => {
    const { dir, write } = newTree();
    write({ 'src/a.ts': 'Foo|bar', '.gitignore': 'dist', 'dist/x.ts': 'foo' });
    expect(await grep(dir, { pattern: 'foo' })).toBe(
      'No line matches "foo" in 2 text files of the workspace.\n[capital letters count; see ignore_case]\n[left out, ignored by git: dist/ (to search one give it as path)]',
    );
    expect(await grep(dir, { pattern: 'a\\|b', path: 'src', glob: '*.ts', ignore_case: true })).toBe(
      'No line matches "a\\\\|b" in 1 text file named *.ts of src.\n[a backslash makes | ( ) + ? { } plain characters; without one they are signs]',
    );
    expect(await grep(dir, { pattern: '1', glob: '*.md' })).toMatch(
      /in 0 text files named \*\.md of the workspace\.\n\[no file matches the glob, which is relative to the workspace\]/,
    );
    expect(await grep(dir, { pattern: '1\\n2' })).toMatch(/\[lines are searched one by one, so \\n matches nothing\]/);
  });
});

describe('a call that cannot be', () => {
  test.each([
    [{ pattern: 'foo(' }, /"foo\(" cannot be used: missing closing \). To search for this very text write foo\\\($/],
    [{ pattern: 'a[b' }, /missing closing \]: "\[b" at character 2/],
    [{ pattern: 'x(?=y)' }, /Lookahead and lookbehind are not known/],
    [{ pattern: '(?<!x)y' }, /Lookahead and lookbehind are not known/],
    [{ pattern: '(a)\\1' }, /at character 4\. References back to a group, like \\1, are not known/],
    [{ pattern: '*.ts' }, /It looks like a pattern of file names: that goes into glob/],
    [{ pattern: '(a{1000}){1000}' }, /cannot be used/],
    [{ pattern: 'x{1000}'.repeat(100) }, /too large/],
    [{ pattern: 'x'.repeat(1001) }, /1001 characters, at most 1000/],
    [{ pattern: '' }, /"pattern" is ""; expected: a regular expression/],
    [{ pattern: 'x', glob: '../*' }, /The glob "\.\.\/\*" cannot be used/],
    [{ pattern: 'x', path: 'a.tx' }, /There is no "a\.tx".* Near names: "a\.txt"/],
    [{ pattern: 'x', path: '.git/config' }, /git's own/],
    [{ pattern: 'x', path: '/etc/passwd' }, /outside the workspace/],
    [{ pattern: 'x', context: 21 }, /"context" is 21; expected: at most 20 lines/],
    [{ pattern: 'x', path: 'pipe' }, /neither a file nor a directory/],
  ])('is an error that says how to mend it (%#)', async (args, problem) => {
    const { dir, write } = newTree();
    write({ 'a.txt': '' });
    mkdirSync(path.join(dir, '.git'));
    execFileSync('mkfifo', [path.join(dir, 'pipe')]);
    const tool = createGrepTool({ workDir: dir, ripgrep: withoutRipgrep });
    const answer = await run(tool, args).catch((error: unknown) => ({ isError: true, text: String(error) }));
    expect([answer.isError, answer.text]).toEqual([true, expect.stringMatching(problem)]);
  });
});

describe('among the tools', () => {
  const workspace = useWorkspace();

  test.each([
    ['Grep', { regex: 'needle', include: '*.txt', case_insensitive: 'true' }],
    ['search_file_content', { query: 'needle', directory: '.', '-i': true }],
    ['rg', { pattern: 'needle', dir_path: '.', head_limit: '5', ignore_case: true }],
  ])('%s is understood', async (name, args) => {
    const { dir, call } = workspace();
    execFileSync('sh', ['-c', 'echo NEEDLE > a.txt'], { cwd: dir });
    expect(await call(name, args)).toEqual({ text: 'a.txt:1: NEEDLE\n[1 matching line in 1 file]', isError: false });
  });

  test.each([
    ['Glob', { pattern: '*.txt' }],
    ['find_files', { glob_pattern: '*.txt', target_directory: '.' }],
  ])('%s is understood', async (name, args) => {
    const { dir, call } = workspace();
    execFileSync('sh', ['-c', 'echo NEEDLE > a.txt'], { cwd: dir });
    expect(await call(name, args)).toEqual({ text: 'a.txt\n[1 file]', isError: false });
  });
});
