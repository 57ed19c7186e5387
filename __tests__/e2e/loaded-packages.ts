// Which packages of OpenTelemetry a built entry really loads: the files that Node loads are written down, and known by the classes in them.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../../node_modules/@opentelemetry');

export interface Loading extends AsyncDisposable {
  /** For the processes that are watched. */
  readonly env: Readonly<Record<string, string>>;
  readonly report: string;
}

/** Writes down every module that a process loads. */
export async function watchLoading(): Promise<Loading> {
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-loaded-'));
  const [hook, report] = [path.join(folder, 'hook.mjs'), path.join(folder, 'loaded.txt')];
  const write = `appendFileSync(${JSON.stringify(report)}, url + '\\n')`;
  const lines = [
    `import { appendFileSync } from 'node:fs';`,
    `import { registerHooks } from 'node:module';`,
    `registerHooks({ load(url, context, next) { ${write}; return next(url, context); } });`,
  ];
  await writeFile(hook, lines.join('\n'));
  return {
    env: { NODE_OPTIONS: `--import=${hook}` },
    report,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The packages in the files of `dist/<entry>` that were loaded. Throws when none was: then nothing was watched. */
export async function loadedPackages({ report }: Loading, entry: string): Promise<readonly string[]> {
  const urls = (await readFile(report, 'utf8')).split('\n').filter((url) => url.includes(`/dist/${entry}/`));
  if (urls.length === 0) throw new Error(`no file of dist/${entry} was loaded`);
  const texts = await Promise.all([...new Set(urls)].map((url) => readFile(new URL(url), 'utf8')));
  const packages = await Promise.all((await readdir(root)).map(async (name) => ({ name, classes: await classesOf(name) })));
  return packages.filter(({ classes }) => texts.some((text) => holds(text, classes))).map(({ name }) => name);
}

/** A bundle keeps the names of classes, and some packages have one of the same name: what has most of them has the package. */
function holds(text: string, classes: readonly string[]): boolean {
  return classes.filter((name) => text.includes(`,"${name}")`)).length > classes.length / 2;
}

/** None in a package that holds words only. */
async function classesOf(name: string): Promise<readonly string[]> {
  const folder = path.join(root, name, 'build/src');
  const files = (await readdir(folder, { recursive: true }).catch(() => [])).filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return [...new Set(texts.flatMap((text) => Array.from(text.matchAll(/^class (\w+)/gm), ([, found = '']) => found)))];
}
