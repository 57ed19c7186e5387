import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { baseSource, flagSource, loadConfigText, parseConfig } from '../../src/compose/trusted-config.ts';
import { Harness9Error } from '../../src/schema/error.ts';

const base = (files: Readonly<Record<string, string>>) => baseSource({ read: async (file) => files[file] ?? null });

describe('configuration of the Action', () => {
  test.each([
    ['text is itself', 'deny bash', 'deny bash'],
    ['a path begins with ./', './a/rules.txt', 'of the base'],
    ['and may go around', './a/../a/./rules.txt', 'of the base'],
    ['a rule about a file is text', 'deny read_file(a.json)', 'deny read_file(a.json)'],
    ['JSON on one line is text', '{"hooks":"a.json"}', '{"hooks":"a.json"}'],
    ['several lines are text', 'a.txt\nb.txt', 'a.txt\nb.txt'],
  ])('%s', async (_case, value, expected) => {
    expect(await loadConfigText('hooks', value, base({ 'a/rules.txt': 'of the base' }))).toBe(expected);
  });

  test.each(['rules.txt', 'a/rules.yml', '.mcp.json', 'hooks.yaml\n', '/etc/passwd', '../rules.md', '~/hooks.yml'])(
    'what looks like a path and does not begin with ./ is refused, and it is said how one is written: %j',
    async (value) => {
      const loading = loadConfigText('hooks', value, base({ 'rules.txt': 'x' }));
      await expect(loading).rejects.toMatchObject({
        code: 'CONFIG_UNREADABLE',
        message: `input \`hooks\`: ${JSON.stringify(value.trim())} is taken as the text itself, and looks like the path of a file`,
        hint: expect.stringMatching(/^A path begins with \.\/ and is relative to the base commit, as in \.\/[\w/]*\.?[\w.]+\.$/),
      });
    },
  );

  test('nothing given is nothing', async () => {
    expect(await loadConfigText('hooks', null, base({}))).toBeNull();
  });

  test.each(['./no.txt', './../out.txt', './a/../../out.txt'])('%s cannot be done without', async (value) => {
    const loading = loadConfigText('hooks', value, base({ '../out.txt': 'x', 'out.txt': 'x' }));
    await expect(loading).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
      message: `input \`hooks\`: "${value}" is read as a file, and the base commit has no such text file`,
    });
  });
});

describe('configuration of the terminal', () => {
  test('a flag names a file of the disk, relative to the folder or absolute', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'harness9-config-'));
    try {
      writeFileSync(path.join(folder, 'h.yml'), 'of the disk');
      const source = flagSource(folder);
      expect(await loadConfigText('mcp_config', './h.yml', source)).toBe('of the disk');
      expect(await loadConfigText('mcp_config', path.join(folder, 'h.yml'), source)).toBe('of the disk');
      expect(await loadConfigText('mcp_config', '{"a": 1}', source)).toBe('{"a": 1}');
      await expect(loadConfigText('mcp_config', './none.yml', source)).rejects.toMatchObject({
        message: '--mcp-config: "./none.yml" is read as a file, and this folder has no such text file',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a configuration’s text', () => {
  test.each([
    ['JSON', '{"a": [1, true, null, "x"]}', { a: [1, true, null, 'x'] }],
    ['YAML', 'a:\n  - b: c\n', { a: [{ b: 'c' }] }],
    ['nothing', '', null],
  ])('%s', (_case, text, expected) => {
    expect(parseConfig('hooks', text, base({}))).toEqual(expected);
  });

  test.each([
    ['broken JSON', '{"a": '],
    ['a key twice', 'a: 1\na: 2\n'],
    ['a tab', 'a:\n\t- b\n'],
  ])('%s is refused, naming the input', (_case, text) => {
    expect(() => parseConfig('hooks', text, base({}))).toThrow(/^input `hooks`: expected YAML or JSON: /);
  });

  test.each([
    ['{"a": "geheim-77" "b": 1}', /\(line 1, column 19\)$/],
    ['a:\n  b: "geheim-77" x\n', /\(line 2, column 18\)$/],
    ['a: geheim-77: x\n', /\(line 1, column 4\)$/],
    ['a: *geheim-77\n', /Unresolved alias/],
    ['a: "\\geheim-77"\n', /Invalid escape sequence/],
    ['"geheim-77": 1\n"geheim-77": 2\n', /\(line 2, column 1\)$/],
    ['a: !geheim-77 x\n"', /./],
  ])('is not quoted where it is wrong, since it may be a key: %j', (text, place) => {
    let told: unknown;
    try {
      parseConfig('mcp_config', text, base({}));
    } catch (error) {
      told = error;
    }
    if (!(told instanceof Harness9Error)) throw new Error('it was taken');
    expect(told.message).toMatch(place);
    expect(inspect(told, { depth: 9 })).not.toContain('geheim-77');
  });

  test.each(['{\n  // mine\n  "a": 1\n}', '{\n  /* mine */\n  "a": 1\n}', '{ "a": [1], // mine\n "b": 2 }'])(
    'with comments of JavaScript is told how comments begin: %j',
    (text) => {
      expect(() => parseConfig('hooks', text, base({}))).toThrow(
        /a comment in it begins with #, not with \/\/ \(line \d, column \d+\)$/,
      );
      expect(parseConfig('hooks', text.replace('// mine', '# mine').replace('/* mine */', '# mine'), base({}))).toMatchObject({});
    },
  );

  test('aliases that would grow without end are refused', () => {
    const levels = Array.from({ length: 9 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}, *l${level}]`);
    const bomb = ['l0: &l0 [x, x]', ...levels].join('\n');
    expect(parseConfig('hooks', 'a: &a 1\nb: *a\n', base({}))).toEqual({ a: 1, b: 1 });
    expect(() => parseConfig('hooks', bomb, base({}))).toThrow(Harness9Error);
  });
});
