// Owns what the documents repeat: README's tables come from action.yml, COVERAGE.md from rows and tests; `--check` compares instead of
// writing. Never writes prose.
import { existsSync } from 'node:fs';
import { glob, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ActionMetadata, loadActionMetadata } from './action-metadata.ts';
import { syncCoverage } from './coverage.ts';
import { readIfThere, report } from './problems.ts';

const ARCHITECTURE = '.github/ARCHITECTURE.md';

/** A Markdown table cell: one line, no bare pipe. */
function cell(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
}

function renderTables(action: ActionMetadata): Readonly<Record<string, string>> {
  const inputs = Object.entries(action.inputs).map(([name, input]) => {
    const fallback = input.default === undefined || input.default === '' ? '' : `\`${cell(input.default)}\``;
    return `| \`${name}\` | ${fallback} | ${cell(input.description)} |`;
  });
  const outputs = Object.entries(action.outputs).map(([name, output]) => `| \`${name}\` | ${cell(output.description)} |`);
  return {
    inputs: ['| input | default | meaning |', '| --- | --- | --- |', ...inputs].join('\n'),
    outputs: ['| output | meaning |', '| --- | --- |', ...outputs].join('\n'),
  };
}

/** Puts the tables between their markers; says which markers are missing. */
function fillTables(readme: string, action: ActionMetadata): { readonly text: string; readonly problems: readonly string[] } {
  let text = readme;
  const problems: string[] = [];
  for (const [name, table] of Object.entries(renderTables(action))) {
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from < 0 || to < from) problems.push(`README.md lacks the markers ${start} and ${end}`);
    else text = `${text.slice(0, from + start.length)}\n\n${table}\n\n${text.slice(to)}`;
  }
  return { text, problems };
}

async function syncReadme(isCheck: boolean): Promise<readonly string[]> {
  const [readme, action] = [await readIfThere('README.md'), await loadActionMetadata()];
  if (readme === undefined) return ['README.md is missing'];
  if (action === undefined) return ['action.yml is missing'];
  const { text, problems } = fillTables(readme, action);
  if (text === readme) return problems;
  if (isCheck)
    return [...problems, 'README.md: the tables of inputs and outputs are not those of action.yml; run `npm run docs`'];
  await writeFile('README.md', text);
  return problems;
}

/** The folder table (its first column is headed `folder`): each row names a folder of src/. */
async function checkArchitecture(): Promise<readonly string[]> {
  const text = await readIfThere(ARCHITECTURE);
  if (text === undefined) return [`${ARCHITECTURE} is missing`];
  const [, table = ''] = text.match(/^\| folder \|.*\n((?:\|.*\n)*)/m) ?? [];
  const named = new Set([...table.matchAll(/^\|\s*`(?:src\/)?([a-z-]+)\/?`/gm)].map((match) => match[1] ?? ''));
  const items = await readdir('src', { withFileTypes: true });
  const folders = new Set(items.filter((item) => item.isDirectory()).map((item) => item.name));
  return [
    ...[...folders.difference(named)].map((name) => `${ARCHITECTURE}: the folder table lacks \`${name}/\``),
    ...[...named.difference(folders)].map(
      (name) => `${ARCHITECTURE}: the folder table names \`${name}/\`, which src/ does not have`,
    ),
  ];
}

/** Relative link targets of a Markdown text; code is no link. */
function relativeLinks(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|\b(?:href|src)="([^"]+)"/g)]
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((target) => !/^([a-z][a-z+.-]*:|#|\/\/)/i.test(target));
}

async function checkLinks(): Promise<readonly string[]> {
  const problems: string[] = [];
  const files = glob('**/*.md', { exclude: (name) => /(^|\/)(node_modules|dist|lib|fixtures|\.git)$/.test(name) });
  for await (const file of files) {
    for (const target of relativeLinks(await readFile(file, 'utf8'))) {
      const wanted = decodeURIComponent(target.replace(/[#?].*$/, ''));
      const place = wanted.startsWith('/') ? wanted.slice(1) : path.join(path.dirname(file), wanted);
      if (!existsSync(place)) problems.push(`${file}: the link to ${target} is dead`);
    }
  }
  return problems;
}

const isCheck = process.argv.includes('--check');
report([
  ...(await syncReadme(isCheck)),
  ...(await syncCoverage(isCheck)),
  ...(await checkArchitecture()),
  ...(await checkLinks()),
]);
