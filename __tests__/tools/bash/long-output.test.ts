import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createOutputFolder } from '../../../src/tools/bash/output-folder.ts';
import { OutputWindow } from '../../../src/tools/bash/output-window.ts';
import { createPrivateFolder } from '../../../src/tools/bash/private-folder.ts';
import { createWorkspace, useWorkspace } from '../workspace.ts';

const workspace = useWorkspace();
const bash = (command: string) => workspace().call('bash', { command });

const markPattern =
  /\n\[… (\d+) bytes omitted; the whole output(, but for \d+ bytes in the middle)?: read_file "([^"]+)" \(offset (\d+)(?:, column (\d+))? goes on here\) …\]\n/;

/** What a cut says, and the text around it. */
function readCut(text: string) {
  const [head = '', omitted = '', lack, file = '', line = '', column, tail = ''] = text.split(markPattern);
  return { head, omitted: Number(omitted), lack, file, line: Number(line), column: Number(column ?? 1), tail };
}

describe('long output of bash', () => {
  test('G5-16 keeps its head and its tail, says what is missing, and the whole can be read in pieces', async () => {
    const { text } = await bash('seq 1 200000; exit 1');
    const { head, omitted, lack, file, line, tail } = readCut(text);
    const whole = readFileSync(file, 'utf8');
    expect([head.startsWith('1\n2\n'), tail.endsWith('199999\n200000\n[exit code 1]'), lack]).toEqual([true, true, undefined]);
    expect(Buffer.byteLength(text)).toBeLessThan(16_400);
    expect(omitted + head.length + tail.length - '[exit code 1]'.length).toBe(1_288_895);
    expect(whole === Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join('')).toBe(true);
    const page = await workspace().call('read_file', { path: file, offset: line, limit: 2 });
    expect([page.isError, head.split('\n').length, page.text.startsWith(`${line}\t${line}\n${line + 1}\t${line + 1}\n`)]).toEqual(
      [false, line, true],
    );
    expect((await bash(`grep -c . ${file}`)).text).toBe('200000\n[exit code 0]');
  });

  test.each([
    ['first', 'echo "FAIL: the cause"; seq 1 100000', 'FAIL: the cause\n1\n'],
    ['last', 'seq 1 100000; echo "FAIL: the cause"', '100000\nFAIL: the cause\n'],
  ])('G5-16 an error in the %s lines is seen, and the exit code is', async (_, command, seen) => {
    const { text, isError } = await bash(`${command}; exit 4`);
    expect([text.includes(seen), text.endsWith('[exit code 4]'), isError]).toEqual([true, true, true]);
  });

  test('G5-16 a little over the limit loses as little as that', async () => {
    const { head, omitted, line, tail } = readCut((await bash('head -c 17000 /dev/zero | tr "\\0" a')).text);
    expect([head, omitted, line, tail]).toEqual(['a'.repeat(5333), 1000, 1, `${'a'.repeat(10_667)}\n[exit code 0]`]);
  });

  test('G5-16 a long line is read on in the character where it was cut', async () => {
    const { text } = await bash('seq -s é 1 20000');
    const { head, file, line, column } = readCut(text);
    const page = await workspace().call('read_file', { path: file, offset: line, column });
    const rest = readFileSync(file, 'utf8').slice(head.length);
    expect([line, head.length + 1, rest.startsWith(page.text.slice(2, 500))]).toEqual([1, column, true]);
  });

  test('G5-16 as much as there is room for is shown whole, of both streams together', async () => {
    const { text } = await bash('head -c 9000 /dev/zero | tr "\\0" a; head -c 7000 /dev/zero | tr "\\0" e >&2');
    expect(text).toBe(`${'a'.repeat(9000)}\n[stderr]\n${'e'.repeat(7000)}\n[exit code 0]`);
  });

  test('G5-16 each stream that is cut has its own mark and its own file', async () => {
    const { text } = await bash('seq 1 20000; seq 30001 50000 >&2');
    const [out = '', err = ''] = text.split('[stderr]\n');
    const [first, second] = [readCut(out), readCut(err)];
    expect(Buffer.byteLength(text)).toBeLessThan(16_700);
    expect([readFileSync(first.file, 'utf8').length, readFileSync(second.file, 'utf8').length]).toEqual([108_894, 120_000]);
    expect([first.tail.endsWith('\n20000\n'), second.head.startsWith('30001\n')]).toEqual([true, true]);
  });

  test('G5-08 G5-16 is cleaned before it is cut, also in the file', async () => {
    const { head, file } = readCut(
      (await bash('for i in $(seq 4000); do printf "\\033[32mok %d\\033[0m 1%%\\r\\033[32mok %d\\033[0m\\033[K\\n" $i $i; done'))
        .text,
    );
    expect([head.startsWith('ok 1\nok 2\n'), readFileSync(file, 'utf8').slice(0, 15)]).toEqual([true, 'ok 1\nok 2\nok 3\n']);
  });

  test('G5-09 G5-16 cuts no character in two, and none is lost from the file', async () => {
    for (const shift of ['', 'x', 'xx', 'xxx']) {
      const { text } = await bash(`printf '${shift}'; yes 🌍 | head -n 10000 | tr -d '\\n'`);
      const { head, file, tail, omitted } = readCut(text);
      expect([text.includes('\uFFFD'), readFileSync(file, 'utf8') === shift + '🌍'.repeat(10_000)]).toEqual([false, true]);
      expect(omitted + Buffer.byteLength(head) + Buffer.byteLength(tail) - '\n[exit code 0]'.length).toBe(40_000 + shift.length);
    }
  });

  test('G5-11 bytes that are no text take no more room than text, and are in the file as they came', async () => {
    const { text } = await bash('head -c 300000 /dev/zero | tr "\\0" "\\377"');
    const { file, omitted } = readCut(text);
    expect(Buffer.byteLength(text)).toBeLessThan(16_400);
    expect(readFileSync(file).equals(Buffer.alloc(300_000, 0xff))).toBe(true);
    expect(omitted).toBeGreaterThan(294_000);
    expect(Buffer.byteLength((await bash('head -c 15000 /dev/zero | tr "\\0" "\\377"')).text)).toBeLessThan(16_400);
  });

  test('D9 G5-16 of a flood the file has the beginning and the end, and says what it lacks', async () => {
    const { text } = await bash('seq 1 3000000');
    const { lack, file } = readCut(text);
    const whole = readFileSync(file, 'utf8');
    const [before = '', missing, after = ''] = whole.split(/\n\[… (\d+) bytes omitted …\]\n/);
    expect([lack, whole.includes('\uFFFD')]).toEqual([`, but for ${missing} bytes in the middle`, false]);
    expect(before.length + Number(missing) + after.length).toBe(22_888_896);
    expect([before.startsWith('1\n2\n'), after.endsWith('\n3000000\n'), whole.length < 5.5 * 1024 * 1024]).toEqual([
      true,
      true,
      true,
    ]);
    expect(before.length).toBeGreaterThan(1_700_000);
    expect(after.length).toBeGreaterThan(3_300_000);
  });

  test('is in a private folder outside of the workspace, which goes with the tools', async () => {
    const own = createWorkspace();
    const { file } = readCut((await own.call('bash', { command: 'seq 1 20000' })).text);
    const folder = path.dirname(file);
    expect([lstatSync(folder).mode & 0o777, lstatSync(file).mode & 0o777, file.startsWith(own.dir)]).toEqual([
      0o700,
      0o600,
      false,
    ]);
    own.remove();
    expect(existsSync(folder)).toBe(false);
  });

  test('F1 a folder that a command swapped for a link is neither written to nor read, and that is said', async () => {
    const { outside, call } = workspace();
    writeFileSync(path.join(outside, '1-stdout.txt'), 'secret\n');
    const { file } = readCut((await bash('seq 1 20000')).text);
    const folder = path.dirname(file);
    const { text } = await bash(`rm -rf ${folder} && ln -s ${outside} ${folder}; seq 1 20000`);
    expect(text).toMatch(/\n\[… \d+ bytes omitted, and not kept: .+ …\]\n/);
    expect(readdirSync(outside)).toEqual(['1-stdout.txt']);
    const read = await call('read_file', { path: file });
    expect([read.isError, read.text.includes('secret')]).toEqual([true, false]);
  });

  test('F1 a file that a command swapped for a link is not read', async () => {
    const { outside, call } = workspace();
    writeFileSync(path.join(outside, 'secret'), 'secret\n');
    const { file } = readCut((await bash('seq 1 20000')).text);
    rmSync(file);
    symlinkSync(path.join(outside, 'secret'), file);
    const { isError, text } = await call('read_file', { path: file });
    expect([isError, text.includes('secret\n')]).toEqual([true, false]);
  });

  test('a folder that a command took away is made again', async () => {
    const { file } = readCut((await bash('seq 1 20000')).text);
    const again = readCut((await bash(`rm -rf ${path.dirname(file)}; seq 1 20000`)).text);
    expect([readFileSync(again.file, 'utf8').length, again.file === file]).toEqual([108_894, false]);
  });

  test('a command that runs out of time leaves what it wrote', async () => {
    const { text } = await workspace().call('bash', { command: 'seq 1 20000; sleep 331', timeout_secs: 1 });
    expect([readFileSync(readCut(text).file, 'utf8').length, text.includes('timed out after 1 s')]).toEqual([108_894, true]);
  });
});

describe('the folder of outputs', () => {
  test('D9 holds 100 MB at most: the oldest files go', async () => {
    const { outside } = workspace();
    const lifetime = new AbortController();
    const folder = createPrivateFolder({ parent: outside, name: 'o', lifetime: lifetime.signal });
    const outputs = createOutputFolder(folder);
    const content = [Buffer.alloc(15 * 1024 * 1024)];
    for (let count = 0; count < 8; count += 1) await outputs.keep('stdout', content);
    expect(readdirSync(folder.path).sort()).toEqual([3, 4, 5, 6, 7, 8].map((count) => `${count}-stdout.txt`));
    lifetime.abort();
    expect(existsSync(folder.path)).toBe(false);
    expect(await outputs.keep('stdout', content)).toHaveProperty('problem');
  });

  test('says why it could not keep a file, and keeps no half of it', async () => {
    const { outside } = workspace();
    const gone = path.join(outside, 'gone');
    mkdirSync(gone);
    const outputs = createOutputFolder(createPrivateFolder({ parent: gone, name: 'o', lifetime: new AbortController().signal }));
    renameSync(gone, path.join(outside, 'moved'));
    expect(await outputs.keep('stdout', [Buffer.from('x')])).toEqual({ problem: expect.stringContaining('ENOENT') });
    mkdirSync(gone);
    chmodSync(gone, 0o700);
    expect(await outputs.keep('stdout', [Buffer.from('x')])).toEqual({ path: path.join(gone, 'o', '2-stdout.txt') });
  });
});

describe('an output window', () => {
  test('loses nothing between its head and its tail that it does not count', () => {
    for (const total of [0, 1, 262_143, 262_144, 5_242_880, 5_242_881, 5_505_024, 5_505_025, 9_000_001]) {
      const window = new OutputWindow();
      const block = Buffer.alloc(65_521, 'abcdefghij\n');
      for (let left = total; left > 0; left -= block.length) window.add(block.subarray(0, Math.min(left, block.length)));
      window.end();
      const { content, missing } = window.file();
      const size = content.reduce((sum, { length }) => sum + length, 0);
      const marked = missing === null ? 0 : Buffer.byteLength(`\n[… ${missing} omitted …]\n`) - Number.parseInt(missing, 10);
      expect([total, window.totalBytes, window.rawBytes, size - marked]).toEqual([total, total, total, total]);
    }
  });

  test('G5-11 leaves a byte order mark out, but only at the beginning', () => {
    const window = new OutputWindow();
    window.add(Buffer.from('\uFEFFa\uFEFFb'));
    window.end();
    expect(window.text(100)).toBe('a\uFEFFb');
  });
});
