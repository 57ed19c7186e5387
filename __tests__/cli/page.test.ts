// Holds .github/TERMINAL.md, on which scripts rely, to what the terminal prints.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { exitCodeOf } from '../../src/cli/report.ts';
import { composeOutgoing } from '../../src/compose/outgoing.ts';
import type { SessionInfo } from '../../src/compose/terminal-sessions.ts';
import { startTranscript } from '../../src/compose/transcript.ts';
import { version } from '../../src/compose/version.ts';
import { noUsage, textPart, usageSchema } from '../../src/schema/message.ts';
import { type EngineEvent, runErrorSchema, runResultSchema, stopReasonSchema } from '../../src/schema/run.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { todoStatusSchema } from '../../src/schema/todo.ts';

const page = await readFile(path.join(import.meta.dirname, '../../.github/TERMINAL.md'), 'utf8');

/** The rows of a section's table, cell by cell. */
function rowsOf(title: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const codeIn = (text = ''): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const cell = (title: string, first: string): string | undefined => rowsOf(title).find(([name]) => name === first)?.[1];

test('every field of the result has its row, with all its values', () => {
  expect(rowsOf('The result').map(([name]) => name)).toEqual(Object.keys(runResultSchema.shape).map((name) => `\`${name}\``));
  expect(codeIn(cell('The result', '`stopReason`'))).toEqual(stopReasonSchema.options);
  expect(codeIn(cell('The result', '`usage`'))).toEqual(Object.keys(usageSchema.shape));
  expect(codeIn(cell('The result', '`error`')).slice(0, 4)).toEqual(Object.keys(runErrorSchema.shape));
});

test('every event has its row', () => {
  const types = {
    ...{ action_delta: 0, thinking_delta: 0, reset: 0, tool_start: 0, tool_result: 0, token_update: 0, compaction: 0 },
    ...{ todo_update: 0, approval_required: 0, subagent_update: 0, done: 0, error: 0 },
  } satisfies Record<EngineEvent['type'], 0>;
  expect(rowsOf('Events').flatMap(([names]) => codeIn(names))).toEqual(Object.keys(types));
  expect(codeIn(cell('Events', '`todo_update`')).slice(3)).toEqual(todoStatusSchema.options);
});

test('every field of a line of the transcript is named', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-page-'));
  const file = path.join(folder, 'run.jsonl');
  try {
    const outgoing = composeOutgoing({ stderr: () => undefined }, []);
    const transcript = startTranscript(file, { ...outgoing, world: { clock: systemClock } });
    transcript.begin({ model: 'm', url: 'https://github.com/o/r/actions/runs/1', prompt: [textPart('go')] });
    transcript.onEvent({ type: 'action_delta', turn: 1, data: 'Hello' });
    expect(await transcript.close()).toBe(file);
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    const [first = '', each = ''] = rowsOf('The transcript').map(([, fields]) => fields);
    expect(codeIn(first.replaceAll(/\([^)]*\)/g, ''))).toEqual(Object.keys(JSON.parse(lines[0] ?? '')));
    expect(codeIn(each)).toEqual(Object.keys(JSON.parse(lines[1] ?? '')));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'transcript', version: 1, harness9: version, prompt: 'go' });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('every exit code has its row', () => {
  const result = { finalMessage: '', turns: 0, usage: noUsage, durationMs: 0 };
  const codes = new Set([2, ...stopReasonSchema.options.map((stopReason) => exitCodeOf({ ...result, stopReason }))]);
  expect(rowsOf('Exit codes').map(([code]) => Number(code))).toEqual([...codes].sort((a, b) => a - b));
});

test('every field of a session is named', () => {
  const fields = {
    ...{ id: 0, workspace: 0, title: 0, tags: 0, createdAt: 0, updatedAt: 0, messageCount: 0 },
  } satisfies Record<keyof SessionInfo, 0>;
  expect(codeIn(/^A session has .*$/m.exec(page)?.[0])).toEqual(Object.keys(fields));
});
