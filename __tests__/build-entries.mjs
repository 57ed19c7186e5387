// Before all tests: the entries that tests start as processes, bundled from the sources as they are; read as sources they take 3 times as long to start.
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');

export default async function buildEntries() {
  await build({
    absWorkingDir: root,
    entryPoints: { 'cli/index': 'src/cli.ts', 'tool-host/index': 'src/tool-host.ts' },
    outdir: 'node_modules/.cache/entries',
    bundle: true,
    // Bundled, its classes are not found under their names.
    external: ['@opentelemetry/*'],
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minify: true,
    keepNames: true,
    // Packages that are CommonJS ask for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
}
