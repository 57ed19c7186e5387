// What the documents show embedders, run as they would run it: with the compiled lib/, against a model's API on loopback.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Reply, startByteServer } from '../provider/byte-server.ts';
import { streamOf } from '../provider/openai/recordings.ts';
import { readEvents } from './event-source.ts';
import { createLibFolder } from './lib-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const documents = ['README.md', '.github/examples/README.md'];

let folder: Awaited<ReturnType<typeof createLibFolder>>;

beforeAll(async () => {
  folder = await createLibFolder();
}, 180_000);
afterAll(() => folder.remove());

/** The programs of the documents that import this file of lib/. */
async function programsWith(imported: string): Promise<readonly string[]> {
  const programs = (await Promise.all(documents.map(programsOf))).flat();
  return programs.filter((code) => code.includes(`/lib/${imported}'`));
}

async function programsOf(document: string): Promise<readonly string[]> {
  const text = await readFile(path.join(repository, document), 'utf8');
  return [...text.matchAll(/^```(?:js|ts|javascript|typescript)\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
}

/** A model that looks into package.json and then says what it has seen. */
function replies(): readonly Reply[] {
  const call = (id: string, name: string, args: object) => ({
    tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  });
  return [
    { chunks: [streamOf([{ content: 'I look. ' }, call('a', 'read_file', { path: 'package.json' })])] },
    { chunks: [streamOf([{ content: 'It is ' }, { content: 'harness9.' }], 'stop')] },
  ];
}

function start(args: readonly string[], modelUrl: string): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: folder.dir,
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: modelUrl, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) text += String(chunk);
  return text;
}

test('every program of the documents with an engine runs to its end with a tool call, and says what the model says', async () => {
  const programs = await programsWith('engine/engine.js');
  expect(programs.length).toBeGreaterThan(0);
  for (const [index, program] of programs.entries()) {
    await using model = await startByteServer(replies());
    const file = path.join(folder.dir, `embed-${index}.mjs`);
    await writeFile(file, program);
    const child = start([file, 'What is this?'], model.url);
    const [stdout, stderr, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')]);
    expect([code, stderr.includes('rror')]).toEqual([0, false]);
    expect(stdout).toContain('It is harness9.');
    expect(model.requests.map(({ body }) => Object(body).messages.at(-1).content)).toEqual([
      'What is this?',
      expect.stringContaining('"name": "harness9"'),
    ]);
  }
});

test('the program that only edits prints the edited text, and why it cannot be edited', async () => {
  const [program = ''] = await programsWith('tools/edit-file/apply-edit.js');
  const file = path.join(folder.dir, 'edit.mjs');
  await writeFile(file, program);
  const child = start([file], '');
  const [stdout, [code]] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^function total\(items\) \{\n {2}return round\(sum\(items\)\);\n\}\n\nNOT_FOUND old_string is not .*line 2/s,
    ),
  ]);
});

test('the server of the examples answers with the events of a run, and stops when it is told to', async () => {
  await using model = await startByteServer(replies());
  const child = start(['.github/examples/sse-server.ts'], model.url);
  try {
    const [line] = await once(child.stdout ?? child, 'data');
    const body = JSON.stringify({ prompt: 'What is this?' });
    const response = await fetch(String(line).trim(), { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const names: string[] = [];
    for await (const { event } of readEvents(response.body ?? new ReadableStream())) names.push(event);
    expect(names.filter((name) => name !== 'token_update')).toEqual([
      'action_delta',
      'tool_start',
      'tool_result',
      'action_delta',
      'action_delta',
      'done',
    ]);
  } finally {
    child.kill();
    await once(child, 'close');
  }
});
