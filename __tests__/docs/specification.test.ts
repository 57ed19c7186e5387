// The specification's rows on how the house is built, held against the sources themselves and the page that describes them.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { LLMProvider, PromptBuilder, ToolRegistry } from '../../src/engine/ports.ts';
import { createPromptBuilder } from '../../src/prompt/system-prompt.ts';
import { createScriptedProvider } from '../../src/provider/scripted/scripted-provider.ts';
import { createRegistry } from '../../src/tools/registry.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const architecture = readFileSync(path.join(repository, '.github/ARCHITECTURE.md'), 'utf8');

/** The rows of the page's table that begins with this heading, cell by cell. */
function tableOf(heading: string): readonly (readonly string[])[] {
  const [, rows = ''] = new RegExp(`^\\| ${heading} \\|.*\\n\\|[ |-]+\\n((?:\\|.*\\n)*)`, 'm').exec(architecture) ?? [];
  return rows.split('\n').flatMap((row) =>
    row === ''
      ? []
      : [
          row
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ],
  );
}

/** `tools schema` for every import, of types or not, from one folder of src/ into another. */
function importsBetweenFolders(): readonly string[] {
  const found = new Set<string>();
  for (const file of globSync('src/*/**/*.ts', { cwd: repository })) {
    const folder = file.split(path.sep)[1] ?? '';
    const text = readFileSync(path.join(repository, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g)) {
      const target = path.relative('src', path.join(path.dirname(file), specifier)).split(path.sep)[0] ?? '';
      if (target !== folder) found.add(`${folder} ${target}`);
    }
  }
  return [...found].sort();
}

describe('the house', () => {
  test('[spec 003 module dependencies] [spec 10 interface isolation] imports between folders only where its table allows them', () => {
    const folders = tableOf('folder');
    const allowed = folders.flatMap(([name = '', , may = ''], index) => {
      const above = folders.slice(0, index).map(([other = '']) => other);
      const targets = may === 'all above' ? above : (may.match(/[a-z]+/g) ?? []);
      return targets.map((target) => `${name} ${target}`.replaceAll('`', ''));
    });
    const found = importsBetweenFolders();
    expect(found).toEqual(expect.arrayContaining(['engine schema', 'tools schema', 'compose engine', 'cli compose']));
    // The terminal may name the types of GitHub's port (dependency-cruiser.cjs).
    expect(found.filter((pair) => !allowed.includes(pair) && pair !== 'cli github')).toEqual([]);
  });

  test('[spec 003 simple] has no runtime dependency without its reason on the page', () => {
    const { dependencies } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
    const told = tableOf('package').flatMap(([names = '']) => names.split(',').map((name) => name.trim()));
    expect(told.sort()).toEqual(Object.keys(dependencies).sort());
  });

  test('[spec 003 interfaces at the consumer] fits ports that the engine declares, by parts that do not know the engine', async () => {
    // The compiler holds the fit, since nothing here says that it implements anything.
    const provider: LLMProvider = createScriptedProvider({ turns: [{ text: 'Done.' }] });
    const registry: ToolRegistry = createRegistry();
    const promptBuilder: PromptBuilder = createPromptBuilder({
      workDir: '/w',
      surroundings: 'terminal',
      tools: [],
      platform: 'linux',
      date: '2026-01-31',
      instructions: { shown: [], leftOut: [] },
      skillsIndex: '',
      append: null,
    });
    const found = importsBetweenFolders().filter((pair) => pair.endsWith(' engine'));
    expect(found).toEqual(['compose engine']);
    expect(await createEngine(provider, registry, '/w', { promptBuilder }).run('Go')).toMatchObject({
      stopReason: 'completed',
      finalMessage: 'Done.',
    });
  });
});
