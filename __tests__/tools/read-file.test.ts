import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { textOf } from '../../src/schema/message.ts';
import { createReadFileTool } from '../../src/tools/read-file.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { createRandom } from './random.ts';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();
const { signal } = new AbortController();

describe('read_file', () => {
  test('a small file comes whole with line numbers', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a.txt'), 'one\ntwo\n\nfour\n');
    expect(await call('read_file', { path: 'a.txt' })).toEqual({
      text: '1\tone\n2\ttwo\n3\t\n4\tfour\n[4 lines]',
      isError: false,
    });
  });

  test('offset and limit are lines, and the last line says how to read on', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a.txt'), Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n'));
    expect((await call('read_file', { path: 'a.txt', offset: 9, limit: 2 })).text).toBe(
      ' 9\tline 9\n10\tline 10\n[lines 9-10 of 100; read on with offset=11]',
    );
    expect((await call('read_file', { path: 'a.txt', offset: 100 })).text).toBe(
      '100\tline 100\n[line 100 of 100; no newline at the end]',
    );
    expect((await call('read_file', { path: 'a.txt', offset: 99, limit: 1 })).text).not.toContain('no newline');
    writeFileSync(at('wide.txt'), Array.from({ length: 9 }, () => 'x'.repeat(1990)).join('\n'));
    expect((await call('read_file', { path: 'wide.txt' })).text).toMatch(/\n\[lines 1-8 of 9; read on with offset=9\]$/);
    expect(await call('read_file', { path: 'a.txt', offset: 101 })).toEqual({
      text: 'offset 101 is beyond the end: "a.txt" has 100 lines.',
      isError: true,
    });
  });

  test('[spec 003 read_file] pages joined by their offsets are the file, every line once', async () => {
    const { at, call } = workspace();
    const lines = Array.from({ length: 3000 }, (_, index) => `${index} ${'é'.repeat(index % 60)}`);
    writeFileSync(at('a.txt'), `${lines.join('\n')}\n`);
    const seen: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const { text } = await call('read_file', { path: 'a.txt', offset, limit: 1_000_000_000 });
      expect(Buffer.byteLength(text)).toBeLessThan(17_000);
      seen.push(
        ...text
          .split('\n')
          .slice(0, -1)
          .map((line) => line.replace(/^ *\d+\t/, '')),
      );
      const next = /offset=(\d+)\]$/.exec(text)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(lines);
  });

  test('G4-21 a huge file and a line of megabytes take bounded memory and output', async () => {
    const { at, call } = workspace();
    writeFileSync(at('min.js'), 'x'.repeat(3_000_000));
    const minified = await call('read_file', { path: 'min.js' });
    expect(minified.text).toBe(
      `1\t${'x'.repeat(2000)}… [cut: characters 1-2000 of 3000000; column=2001 reads on]\n[1 line; no newline at the end]`,
    );
    const big = openSync(at('big.log'), 'w');
    writeSync(big, `${'log line\n'.repeat(10_000)}`);
    ftruncateSync(big, 600 * 1024 * 1024);
    closeSync(big);
    const before = process.memoryUsage().rss;
    const { text } = await call('read_file', { path: 'big.log', limit: 1_000_000_000 });
    expect(Buffer.byteLength(text)).toBeLessThan(17_000);
    expect(text).toMatch(/\[lines 1-\d+ of more than 10000; read on with offset=\d+\]$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('G4-22 FIFO, device, socket, directory, empty and missing files are answered at once', async () => {
    const { at, call } = workspace();
    execFileSync('mkfifo', [at('fifo')]);
    mkdirSync(at('src/sub'), { recursive: true });
    writeFileSync(at('src/foo.ts'), '');
    const server = createServer().listen(at('socket'));
    await once(server, 'listening');
    expect(await call('read_file', { path: 'fifo' })).toEqual({
      text: 'read_file: "fifo" is a FIFO, not a regular file',
      isError: true,
    });
    expect((await call('read_file', { path: 'socket' })).text).toBe('read_file: "socket" is a socket, not a regular file');
    server.close();
    expect((await call('read_file', { path: '/dev/zero' })).isError).toBe(true);
    expect(await call('read_file', { path: 'src' })).toEqual({
      text: '"src" is a directory with 2 entries:\nfoo.ts\nsub/',
      isError: false,
    });
    expect(await call('read_file', { path: 'src/foo.ts' })).toEqual({ text: '(empty file)', isError: false });
    expect(await call('read_file', { path: 'src/Foo.ts' })).toEqual({
      text: 'There is no "src/Foo.ts". Near names: "src/foo.ts".',
      isError: true,
    });
    expect((await call('read_file', { path: 'lib/x.ts' })).text).toBe(
      'There is no "lib/x.ts": the directory "lib" does not exist.',
    );
  });

  test('G4-23 binary files are told by type and size, text with odd bytes is read', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a.png'), Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), Buffer.alloc(20_000, 7)]));
    writeFileSync(at('late.bin'), Buffer.concat([Buffer.alloc(9000, 65), Buffer.from([0]), Buffer.alloc(10, 65)]));
    writeFileSync(at('latin1.txt'), Buffer.from('caf\xe9\n', 'latin1'));
    writeFileSync(at('emoji.txt'), 'a 🌍\n');
    expect([
      (await call('read_file', { path: 'a.png' })).text,
      (await call('read_file', { path: 'late.bin' })).text,
      (await call('read_file', { path: 'latin1.txt' })).text,
      (await call('read_file', { path: 'emoji.txt' })).text,
    ]).toEqual([
      '"a.png" is not text: a PNG image, 20008 bytes.',
      '"late.bin" is not text: binary data, 9011 bytes.',
      '1\tcafé\n[1 line; Latin-1, not UTF-8; edit_file keeps it]',
      '1\ta 🌍\n[1 line]',
    ]);
  });

  test('G4-28 names are exact bytes, and the other Unicode form is offered', async () => {
    const { at, call } = workspace();
    writeFileSync(at('e\u0301.txt'), 'x\n');
    writeFileSync(at(' a%20b'), 'y\n');
    expect((await call('read_file', { path: '\u00e9.txt' })).text).toContain(`Near names: "e\u0301.txt"`);
    expect((await call('read_file', { path: ' a%20b' })).text).toBe('1\ty\n[1 line]');
  });

  test('line ends are told, a byte order mark is not shown', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a.cs'), '\uFEFFusing A;\r\nclass B {}\r\n');
    expect((await call('read_file', { path: 'a.cs' })).text).toBe(
      '1\tusing A;\n2\tclass B {}\n[2 lines; lines end in CRLF, edit_file adapts]',
    );
  });

  test('[spec 003 safePath] C2 C11 the environment of processes cannot be read, not even through a link', async () => {
    const { at, call } = workspace();
    symlinkSync('/proc/self', at('p'));
    for (const path of ['/proc/self/environ', 'p/environ', '/proc/1/environ', '../outside/x', '/dev/fd/0']) {
      const { text, isError } = await call('read_file', { path });
      expect([isError, text.includes('outside the workspace')]).toEqual([true, true]);
    }
  });

  test('G4-21 the rest of a long line is read by columns, every character once and whole', async () => {
    const { at, call } = workspace();
    const line = Array.from({ length: 3000 }, (_, index) => `${index}é🌍`).join('');
    writeFileSync(at('long'), `short\r\n${line}\r\nlast\r\n`);
    let seen = '';
    for (let column: number | undefined = 1; column !== undefined; ) {
      const { text } = await call('read_file', { path: 'long', offset: 2, limit: 1, column });
      const shown = /^2\t(.*?)(?:… \[cut: characters (\d+)-(\d+) of (\d+); column=(\d+) reads on\])?\n\[/s.exec(text);
      expect(Buffer.byteLength(text)).toBeLessThan(2200);
      if (shown?.[2] !== undefined) expect([shown[2], shown[4]]).toEqual([String(column), String([...line].length)]);
      seen += shown?.[1] ?? '';
      column = shown?.[5] === undefined ? undefined : Number(shown[5]);
    }
    expect(seen).toBe(line);
    expect((await call('read_file', { path: 'long', column: 4 })).text.split('\n')[0]).toBe('1\trt');
  });

  test('a page of lines of any length, in any place, holds what the file holds', async () => {
    const { at, call } = workspace();
    const random = createRandom(3);
    const lines = Array.from({ length: 400 }, () =>
      random.pick(['', 'a', 'é', '🌍', 'x'.repeat(1999), 'é'.repeat(1000), 'é'.repeat(1001), 'y'.repeat(2001)]),
    );
    writeFileSync(at('f'), lines.join('\n'));
    for (let round = 0; round < 200; round += 1) {
      const offset = 1 + random.below(400);
      const { text } = await call('read_file', { path: 'f', offset, limit: 1 + random.below(20) });
      const page = text.split('\n').slice(0, -1);
      for (const [index, row] of page.entries()) {
        const line = lines[offset - 1 + index] ?? 'none';
        const shown = row.replace(/^ *\d+\t/, '').replace(/… \[cut: .*\]$/, '');
        expect([shown.length > 0 || line === '', line.startsWith(shown), row.includes('[cut: ')]).toEqual([
          true,
          true,
          Buffer.byteLength(line) > 2000,
        ]);
      }
      expect(text).not.toContain('\uFFFD');
    }
  });

  test('a directory of many entries is sorted, and read on by offset', async () => {
    const { at, call } = workspace();
    mkdirSync(at('d/sub'), { recursive: true });
    for (let number = 0; number < 450; number += 1) writeFileSync(at(`d/${1000 + number}`), '');
    writeFileSync(at('d/line\nend'), '');
    const page = async (args: object) => (await call('read_file', { path: 'd', ...args })).text.split('\n');
    const first = await page({});
    expect([first.length, first[0], first[1], first.at(-1)]).toEqual([
      202,
      '"d" is a directory with 452 entries:',
      '1000',
      '[… 252 more; read on with offset=201]',
    ]);
    expect((await page({ offset: 450 })).slice(1)).toEqual(['1449', '"line\\nend"', 'sub/']);
    expect((await page({ offset: 2, limit: 1 })).slice(1)).toEqual(['1001', '[… 450 more; read on with offset=3]']);
    expect(await page({ offset: 900 })).toEqual(['"d" is a directory with 452 entries']);
  });

  test('text that begins as a picture or a document would is text', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'GIF89a is a format\n');
    writeFileSync(at('b'), '%PDF-1.7 é\n');
    expect([(await call('read_file', { path: 'a' })).text, (await call('read_file', { path: 'b' })).text]).toEqual([
      '1\tGIF89a is a format\n[1 line]',
      '1\t%PDF-1.7 é\n[1 line]',
    ]);
  });

  test('folders beside the workspace can be read by their absolute path, and are neither written nor a way out', async () => {
    const { dir, at, outside, call } = workspace();
    const readable = `${dir}-readable`;
    const tool = createReadFileTool({ workDir: dir, readableFolders: [readable] });
    const read = async (path: string) => {
      const registry = createRegistry();
      registry.register(tool);
      const result = await registry.execute({ id: 'c', name: 'read_file', arguments: JSON.stringify({ path }) }, { signal });
      return textOf(result.output);
    };
    expect(await read(`${readable}/x`)).toContain('does not exist');
    mkdirSync(`${readable}/sub`, { recursive: true });
    writeFileSync(`${readable}/out.txt`, 'all of it\n');
    writeFileSync(`${outside}/secret`, 's\n');
    symlinkSync(`${outside}/secret`, `${readable}/link`);
    symlinkSync(`${readable}/out.txt`, at('inside'));
    expect([
      await read(`${readable}/out.txt`),
      await read('inside'),
      await read(readable),
      await read(`${readable}/Out.txt`),
    ]).toEqual([
      '1\tall of it\n[1 line]',
      '1\tall of it\n[1 line]',
      `"${readable}" is a directory with 3 entries:\nlink\nout.txt\nsub/`,
      `There is no "${readable}/Out.txt". Near names: "${readable}/out.txt".`,
    ]);
    for (const path of [`${readable}/link`, `${readable}/../outside/secret`, `${readable}x/a`, `${outside}/secret`]) {
      expect(await read(path)).toContain('outside the workspace');
    }
    for (const path of [`${readable}/out.txt`, 'inside', `${readable}/new`]) {
      expect((await call('write_file', { path, content: 'x' })).text).toContain('outside the workspace');
    }
    rmSync(readable, { recursive: true });
    symlinkSync(outside, readable);
    expect(await read(`${readable}/secret`)).toContain('outside the workspace');
    rmSync(readable);
  });
});
