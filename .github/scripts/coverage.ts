// Owns the page that says which test holds which row of the specification: rows from specification-rows.yaml, tests by the tags in their
// names. Never judges whether a test is good. `--check` compares instead of writing.
import { writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { readIfThere, report } from './problems.ts';
import { findTags, type Tag } from './test-tags.ts';

const ROWS = '.github/specification-rows.yaml';
const PAGE = '.github/COVERAGE.md';
const DIFFERENCES = '.github/decisions/0008-where-we-leave-the-specification.md';

const tableSchema = z.strictObject({
  section: z.string(),
  table: z.string(),
  prefix: z.string().optional(),
  rows: z
    .array(
      z.strictObject({
        row: z.string(),
        says: z.string(),
        left: z.string().optional(),
        see: z.array(z.string()).min(1).optional(),
      }),
    )
    .min(1),
});

/** A row of the specification. `left`: how our table of differences calls it. `see`: rows that say the same, whose tests are its tests. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly says: string;
  readonly left: string | undefined;
  readonly see: readonly string[];
}

interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** All that the page is made of. */
interface Coverage {
  readonly tables: readonly Table[];
  readonly tags: readonly Tag[];
  /** The first column of the table of differences. */
  readonly differences: readonly string[];
}

async function loadTables(): Promise<readonly Table[]> {
  const tables = z.array(tableSchema).parse(parse((await readIfThere(ROWS)) ?? ''));
  return tables.map(({ section, table, prefix = section, rows }) => ({
    title: `${section} ${table}`,
    rows: rows.map(({ row, says, left, see = [] }) => ({ id: `${prefix} ${row}`, name: row, says, left, see })),
  }));
}

async function loadDifferences(): Promise<readonly string[]> {
  const text = (await readIfThere(DIFFERENCES)) ?? '';
  return [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, first = '']) => first.trim());
}

/** Everything that is wrong with rows and tags, in their order. */
function findProblems({ tables, tags, differences }: Coverage): readonly string[] {
  const rows = tables.flatMap((table) => table.rows);
  const ids = new Set<string>();
  const problems: string[] = [];
  for (const { id } of rows) {
    if (ids.has(id)) problems.push(`${ROWS}: two rows are called "${id}"`);
    ids.add(id);
  }
  const tagged = new Set(tags.map((tag) => tag.id));
  const targets = new Set(rows.filter((row) => row.see.length === 0).map((row) => row.id));
  for (const row of rows) problems.push(...rowProblems(row, { tagged, targets, differences }));
  const unknown = tags.filter((tag) => !ids.has(tag.id));
  return [...problems, ...unknown.map(({ id, file, line }) => `${file}:${line}: [spec ${id}] names no row of ${ROWS}`)];
}

interface Known {
  readonly tagged: ReadonlySet<string>;
  readonly targets: ReadonlySet<string>;
  readonly differences: readonly string[];
}

function rowProblems({ id, left, see }: Row, { tagged, targets, differences }: Known): readonly string[] {
  const problems: string[] = [];
  if (!tagged.has(id) && see.length === 0 && left === undefined) {
    problems.push(`${ROWS}: "${id}" has neither a test nor a deliberate difference; name a test "… [spec ${id}]"`);
  }
  for (const target of see.filter((other) => !targets.has(other))) {
    problems.push(`${ROWS}: "${id}" sees "${target}", which is no row with tests of its own`);
  }
  if (left !== undefined && !differences.includes(left)) problems.push(`${ROWS}: "${left}" is no row of ${DIFFERENCES}`);
  return problems;
}

function renderPage({ tables, tags }: Coverage): string {
  const rows = tables.flatMap((table) => table.rows);
  const tagged = new Set(tags.map((tag) => tag.id));
  const tested = rows.filter((row) => tagged.has(row.id)).length;
  const same = rows.filter((row) => !tagged.has(row.id) && row.see.length > 0).length;
  const tests = new Set(tags.map(({ file, line }) => `${file}:${line}`)).size;
  const left = rows.filter((row) => row.left !== undefined).length;
  const placeOf = new Map(tables.flatMap(({ title, rows: own }) => own.map((row) => [row.id, `#${anchorOf(title)}`] as const)));
  return `${[
    '# What of the specification is held by which test',
    [
      'The rows are those of the specification’s tables and lists, in its order and in our words (`specification-rows.yaml`); a test says in',
      'its name which row it holds: `[spec 5.5 WithMaxTurns]`. This page is made from both by `npm run docs`; `npm run check` fails when it is',
      'out of step, when a row has neither a test nor a deliberate difference, and when a name says a row that is not there.',
    ].join('\n'),
    `Rows: ${rows.length}. With tests of their own: ${tested} (${tests} tests). The same as others: ${same}. Different on purpose: ${left}, most of them with a test of what happens here.`,
    ...tables.map((table) => renderTable(table, tags, placeOf)),
  ].join('\n\n')}\n`;
}

function renderTable({ title, rows }: Table, tags: readonly Tag[], placeOf: ReadonlyMap<string, string>): string {
  const lines = rows.map((row) => {
    const held = [
      ...tags.filter((tag) => tag.id === row.id).map(({ title: test, file }) => `[${cell(test)}](../${file})`),
      ...row.see.map((id) => `as [${cell(id)}](${placeOf.get(id) ?? ''})`),
      ...(row.left === undefined ? [] : [`differs: [${cell(row.left)}](${DIFFERENCES.replace('.github/', '')})`]),
    ];
    return `| ${cell(row.name)} | ${cell(row.says)} | ${held.join('<br>')} |`;
  });
  return [`## ${cell(title)}`, '', '| row | says | held by |', '| --- | --- | --- |', ...lines].join('\n');
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Text for a cell or a link: what Markdown would read is written out. */
function cell(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|$]/g, '\\$&');
}

/** Writes the page, or with `isCheck` compares it; the problems are the same. */
export async function syncCoverage(isCheck: boolean): Promise<readonly string[]> {
  const { tags, problems: tagProblems } = await findTags('__tests__');
  const coverage = { tables: await loadTables(), tags, differences: await loadDifferences() };
  const problems = [...tagProblems, ...findProblems(coverage)];
  const page = renderPage(coverage);
  if (page === (await readIfThere(PAGE))) return problems;
  if (isCheck) return [...problems, `${PAGE} is out of step with rows and tests; run \`npm run docs\``];
  await writeFile(PAGE, page);
  return problems;
}

if (import.meta.main) report(await syncCoverage(process.argv.includes('--check')));
