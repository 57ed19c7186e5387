// Owns the proof that dependency-cruiser sees what its rules forbid: each rule meets a planted violation, in each form of import.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../..');

/** File → its text. The rule that each line breaks stands in the table below. */
const PLANTED: Readonly<Record<string, string>> = {
  'src/schema/message.ts': 'export interface Message { readonly text: string }\nexport const one = 1;',
  'src/schema/upward.ts': "import type { Loop } from '../engine/loop.ts';\nexport type Up = Loop;",
  'src/schema/package.ts': "import { distance } from 'fastest-levenshtein';\nexport const a = distance;",
  'src/engine/loop.ts': "import type { Message } from '../schema/message.ts';\nexport type Loop = Message;",
  'src/engine/lawful.ts':
    "import { one } from '../schema/message.ts';\nimport { z } from 'zod';\nimport './loop.ts';\nexport const a = z.literal(one);",
  'src/tools/value.ts': "import { a } from '../engine/lawful.ts';\nexport const b = a;",
  'src/tools/type-import.ts': "import type { Loop } from '../engine/loop.ts';\nexport type A = Loop;",
  'src/tools/inline-type.ts': "import { type Loop } from '../engine/loop.ts';\nexport type A = Loop;",
  'src/tools/type-export.ts': "export type { Loop } from '../engine/loop.ts';",
  'src/tools/star-export.ts': "export * from '../engine/loop.ts';",
  'src/tools/type-query.ts': "export type A = import('../engine/loop.ts').Loop;",
  'src/tools/typeof-query.ts': "export type A = typeof import('../engine/loop.ts');",
  'src/tools/dynamic.ts': "export const load = (): Promise<unknown> => import('../engine/loop.ts');",
  'src/tools/template.ts': 'export const load = (): Promise<unknown> => import(`../engine/loop.ts`);',
  'src/tools/disposes.ts': "import '../engine/loop.ts';\nexport function f(a: Disposable): void {\n  using b = a;\n  void b;\n}",
  'src/tools/spawns.ts': "import { spawn } from 'node:child_process';\nexport const a = spawn;",
  'src/engine/spawns.ts': "import { spawn } from 'node:child_process';\nexport const a = spawn;",
  'src/engine/builtin.ts': "export const a = process.getBuiltinModule('child_process');",
  'src/engine/left.ts': "import type { Right } from './right.ts';\nexport type Left = Right;",
  'src/engine/right.ts': "import type { Left } from './left.ts';\nexport type Right = Left;",
  'src/engine/lost.ts': "import './nowhere.ts';",
  'src/engine/runner.ts': "import * as core from '@actions/core';\nexport const a = core;",
  'src/engine/openai.ts': "export const load = (): Promise<unknown> => import('openai');",
  'src/engine/anthropic.ts': "import type Client from '@anthropic-ai/sdk';\nexport type A = Client;",
  'src/engine/octokit.ts': "import { Octokit } from '@octokit/rest';\nexport const a = Octokit;",
  'src/engine/tester.ts': "import '../../__tests__/fake.ts';",
  'src/engine/dev.ts': "import 'esbuild';",
  'src/engine/entry.ts': "import '../main.ts';",
  'src/engine/simulates.ts': "import '../simulator/hub.ts';",
  'src/compose/wire.ts': "import '../engine/loop.ts';\nimport '../tools/spawns.ts';",
  'src/compose/upward.ts': "import '../action/run.ts';",
  'src/compose/env-file.ts': "import { parse } from 'dotenv';\nexport const a = parse;",
  'src/compose/terminal-way.ts': "import './env-file.ts';",
  'src/compose/around.ts': "import './terminal-way.ts';",
  'src/action/run.ts': "import * as core from '@actions/core';\nimport '../compose/wire.ts';\nexport const a = core;",
  'src/action/reaches.ts': "import '../engine/loop.ts';",
  'src/action/env.ts': "import '../compose/around.ts';",
  'src/cli/env.ts': "import '../compose/terminal-way.ts';",
  'src/cli/try.ts': "import '../simulator/hub.ts';",
  'src/cli/reaches.ts': "import '../engine/loop.ts';",
  'src/simulator/hub.ts': "import '../schema/message.ts';",
  'src/simulator/reaches.ts': "import '../engine/loop.ts';",
  'src/main.ts': "import './action/run.ts';",
  'src/post.ts': "import './engine/loop.ts';",
  'src/cli.ts': "import './action/run.ts';",
  'src/tool-host.ts': "import './engine/loop.ts';",
  'src/elsewhere/new.ts': "import '../schema/message.ts';",
  '__tests__/fake.ts': "import '../src/engine/loop.ts';\nimport '../src/simulator/hub.ts';",
};

const EXPECTED: readonly string[] = [
  'src/action/env.ts env-file-is-for-the-terminal',
  'src/action/reaches.ts action-goes-through-compose',
  'src/cli.ts terminal-entry-calls-cli',
  'src/cli/reaches.ts cli-goes-through-compose',
  'src/compose/around.ts env-file-is-for-the-terminal',
  'src/compose/upward.ts compose-wires-downwards',
  'src/elsewhere/new.ts folder-has-a-place',
  'src/engine/anthropic.ts anthropic-in-its-adapter',
  'src/engine/builtin.ts processes-in-their-place',
  'src/engine/dev.ts no-dev-dependencies-in-src',
  'src/engine/entry.ts nobody-imports-entries',
  'src/engine/entry.ts peers-know-schema-only',
  'src/engine/left.ts no-cycles',
  'src/engine/lost.ts imports-resolve',
  'src/engine/octokit.ts octokit-behind-the-port',
  'src/engine/openai.ts openai-in-its-adapter',
  'src/engine/runner.ts runner-protocol-in-action',
  'src/engine/simulates.ts peers-know-schema-only',
  'src/engine/simulates.ts simulator-is-for-cli-and-tests',
  'src/engine/spawns.ts processes-in-their-place',
  'src/engine/tester.ts src-knows-no-tests',
  'src/post.ts entries-call-one-function',
  'src/schema/package.ts schema-takes-zod-only',
  'src/schema/upward.ts schema-stands-alone',
  'src/simulator/reaches.ts simulator-stands-apart',
  'src/tool-host.ts tool-host-entry-holds-tools',
  'src/tools/disposes.ts peers-know-schema-only',
  'src/tools/dynamic.ts peers-know-schema-only',
  'src/tools/inline-type.ts peers-know-schema-only',
  'src/tools/star-export.ts peers-know-schema-only',
  'src/tools/template.ts peers-know-schema-only',
  'src/tools/type-export.ts peers-know-schema-only',
  'src/tools/type-import.ts peers-know-schema-only',
  'src/tools/type-query.ts peers-know-schema-only',
  'src/tools/typeof-query.ts peers-know-schema-only',
  'src/tools/value.ts peers-know-schema-only',
];

interface CruiseResult {
  readonly summary: { readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[] };
}

describe('the dependency direction', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'harness9-boundaries-'));
    for (const [name, text] of Object.entries(PLANTED)) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, `${text}\n`);
    }
    await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
    await symlink(path.join(repository, 'package.json'), path.join(folder, 'package.json'));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('holds against every form of import, and lets the lawful ones pass', async () => {
    const tool = path.join(repository, 'node_modules/.bin/depcruise');
    const config = path.join(repository, '.github/dependency-cruiser.cjs');
    const args = [tool, '--config', config, '--output-type', 'json', 'src', '__tests__'];
    const { stdout } = await run(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    const result: CruiseResult = JSON.parse(stdout);
    const found = result.summary.violations.map((violation) => `${violation.from} ${violation.rule.name}`);
    expect([...new Set(found)].sort()).toEqual(EXPECTED);
  });
});
