// The events of a run as lines in a file, and whether that file can be believed at the end.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import { openTranscript, type Transcript, type TranscriptOptions } from '../../src/observe/transcript.ts';
import { type Message, noUsage, type Part, textPart } from '../../src/schema/message.ts';
import type { EngineEvent, RunResult } from '../../src/schema/run.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { ManualClock, registryOf } from '../engine/ports.ts';
import { call, calls, readAll, ScriptedModel, says } from '../engine/scripted-model.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'transcript-'));
  file = path.join(folder, 'run.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function begin(options: Partial<TranscriptOptions> = {}): { readonly transcript: Transcript; readonly log: string[] } {
  const log: string[] = [];
  const parts = { file, redact: (text: string) => text, clock: new ManualClock(), log: (line: string) => log.push(line) };
  return { transcript: openTranscript({ ...parts, ...options }), log };
}

/** Every line of the file, which must be whole. */
function linesOf(name = file): readonly Record<string, unknown>[] {
  const text = readFileSync(name, 'utf8');
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line is not whole');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const at = '1970-01-01T00:00:00.000Z';
const begun = { type: 'transcript', version: 1, startedAt: at };
const result: RunResult = { stopReason: 'completed', finalMessage: 'done', turns: 1, usage: noUsage, durationMs: 5 };
const started: EngineEvent = { type: 'tool_start', turn: 1, data: call('c1', 'look', { path: 'a.ts' }) };
const ended: EngineEvent = { type: 'done', turn: 1, data: result };
const delta = (data: string, turn = 1): EngineEvent => ({ type: 'action_delta', turn, data });
const observed = (...output: Part[]): EngineEvent => ({
  type: 'tool_result',
  turn: 1,
  data: { result: { toolCallId: 'c1', output, isError: false }, durationMs: 1 },
});

describe('a transcript', () => {
  test('has a first line that says what it is, then a line for each event, each with its time', async () => {
    const clock = new ManualClock();
    const { transcript, log } = begin({ clock });
    transcript.header({ model: 'gpt-x', type: 'mine', version: 9 });
    await clock.advance(1500);
    transcript.onEvent(started);
    transcript.onEvent(ended);
    expect(await transcript.close()).toEqual({ file });
    const later = '1970-01-01T00:00:01.500Z';
    expect(linesOf()).toEqual([
      { ...begun, model: 'gpt-x' },
      { at: later, type: 'tool_start', turn: 1, data: { id: 'c1', name: 'look', arguments: '{"path":"a.ts"}' } },
      { at: later, type: 'done', turn: 1, data: result },
    ]);
    expect(log).toEqual([]);
  });

  test('that nobody gave a header has one, and keeps no second', async () => {
    const { transcript } = begin();
    transcript.onEvent(ended);
    transcript.header({ late: true });
    await transcript.close();
    expect(linesOf()).toEqual([begun, { at, ...ended }]);
    const empty = begin({ file: `${file}.2` });
    expect(await empty.transcript.close()).toEqual({ file: `${file}.2` });
    expect(linesOf(`${file}.2`)).toEqual([begun]);
  });

  test('joins what streams into a line for each run of one kind', async () => {
    const { transcript } = begin();
    const thinking = (data: string): EngineEvent => ({ type: 'thinking_delta', turn: 1, data });
    const events = [thinking('I '), thinking('think'), delta('He'), delta('llo'), { type: 'reset', turn: 1 } as const];
    for (const event of [...events, delta('Hi'), delta('there', 2), started, delta('!')]) transcript.onEvent(event);
    await transcript.close();
    expect(linesOf().map(({ type, turn, data }) => [type, turn, data])).toEqual([
      ['transcript', undefined, undefined],
      ['thinking_delta', 1, 'I think'],
      ['action_delta', 1, 'Hello'],
      ['reset', 1, undefined],
      ['action_delta', 1, 'Hi'],
      ['action_delta', 2, 'there'],
      ['tool_start', 1, started.data],
      ['action_delta', 1, '!'],
    ]);
  });

  test('is redacted in every text, also where it came in pieces, and keeps the names of its members', async () => {
    const redact = (text: string): string => text.replaceAll('s3cret', '***');
    const { transcript } = begin({ redact });
    transcript.header({ s3cret: 'a s3cret', list: [['s3cret']] });
    for (const piece of ['s3', 'cr', 'et']) transcript.onEvent(delta(piece));
    const origin = { provider: 'openai', endpoint: 'e', model: 'm' };
    transcript.onEvent(
      observed(textPart('"s3cret"\n'), { type: 'opaque', origin, kind: 'k', value: { s3cret: ['s3cret', 1, null, true] } }),
    );
    await transcript.close();
    const data = { result: { toolCallId: 'c1', isError: false }, durationMs: 1 };
    const opaque = { type: 'opaque', origin, kind: 'k', value: { s3cret: ['***', 1, null, true] } };
    expect(linesOf()).toEqual([
      { ...begun, s3cret: 'a ***', list: [['***']] },
      { at, type: 'action_delta', turn: 1, data: '***' },
      { at, type: 'tool_result', turn: 1, data: { ...data, result: { ...data.result, output: [textPart('"***"\n'), opaque] } } },
    ]);
  });

  test('tells of a picture, and leaves its bytes out', async () => {
    const { transcript } = begin();
    transcript.onEvent(observed({ type: 'image', mediaType: 'image/png', data: Buffer.alloc(3_000_000, 1).toString('base64') }));
    await transcript.close();
    expect(statSync(file).size).toBeLessThan(1000);
    expect(JSON.stringify(linesOf()[1])).toContain('"output":[{"type":"image","mediaType":"image/png","bytes":3000000}]');
  });

  test('keeps any text as it is, on one line', async () => {
    const texts = ['\n\r\u2028\u2029', '\u0000\u001b[31m', '😀漢字', '\ud83d', '"\\', '{"type":"done"}\n', 'x'.repeat(2_000_000)];
    const { transcript } = begin();
    for (const text of texts) transcript.onEvent(observed(textPart(text)));
    expect(await transcript.close()).toEqual({ file });
    const outputs = linesOf()
      .slice(1)
      .map(({ data }) => data);
    expect(outputs).toEqual(
      texts.map((text) => ({ durationMs: 1, result: { toolCallId: 'c1', isError: false, output: [textPart(text)] } })),
    );
  });

  test('leaves out what it cannot redact, says so in its place, and in the log once', async () => {
    const redact = (text: string): string => {
      if (text.includes('bad')) throw new Error('no rules for this');
      return text;
    };
    const { transcript, log } = begin({ redact });
    for (const text of ['bad', 'good', 'bad']) transcript.onEvent(delta(text, text.length));
    expect(await transcript.close()).toEqual({ file });
    expect(linesOf().slice(1)).toEqual([
      { at, type: 'action_delta', turn: 3, leftOut: true },
      { at, type: 'action_delta', turn: 4, data: 'good' },
      { at, type: 'action_delta', turn: 3, leftOut: true },
    ]);
    expect(log).toEqual(['[transcript] warning=event_left_out error=no rules for this']);
  });

  test('is for its owner only, and grows as the events come', async () => {
    const { transcript } = begin();
    transcript.onEvent(started);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(linesOf()).toHaveLength(2);
    await transcript.close();
    transcript.onEvent(ended);
    expect(await transcript.close()).toEqual({ file });
    expect(linesOf()).toHaveLength(2);
  });

  test('of a whole run says what was said, called and found', async () => {
    const { transcript } = begin({ clock: systemClock });
    const first: Message = { ...calls(call('c1', 'look')), content: [textPart('I look around.')] };
    const model = new ScriptedModel([{ answer: first }, { answer: says('All is well.') }]);
    const registry = registryOf({ look: { run: () => 'a tree' } });
    const engine = createEngine(model, registry, '/w', { onEvent: transcript.onEvent });
    await readAll(engine.runStream('go'));
    expect(await transcript.close()).toEqual({ file });
    const told = linesOf().filter(({ type }) => type !== 'token_update');
    expect(told.map(({ type, turn }) => `${turn} ${type}`)).toEqual([
      'undefined transcript',
      '1 action_delta',
      '1 tool_start',
      '1 tool_result',
      '2 action_delta',
      '2 done',
    ]);
    expect([told[1]?.data, told[4]?.data]).toEqual(['I look around.', 'All is well.']);
  });
});

describe('a file that is there already', () => {
  test.each([
    ['a file', () => writeFileSync(file, 'theirs')],
    ['a link to a file', () => linkTo('theirs')],
    ['a link to nothing', () => symlinkSync(path.join(folder, 'target'), file)],
    ['a folder', () => mkdirSync(file)],
    ['a file of the same name by another link', () => linkTo('theirs', true)],
  ])('is not written to: %s', async (_name, prepare) => {
    prepare();
    const { transcript, log } = begin();
    transcript.header({});
    transcript.onEvent(ended);
    const end = await transcript.close();
    expect(end).toEqual({ problem: expect.stringMatching(/run\.jsonl could not be made: .*EEXIST/) });
    expect(log).toEqual([expect.stringMatching(/^\[transcript\] warning=not_kept problem=.*EEXIST/)]);
    for (const name of [file, path.join(folder, 'target')]) {
      if (existsSync(name) && statSync(name).isFile()) expect(readFileSync(name, 'utf8')).toBe('theirs');
    }
  });

  test('nor is a folder made that is not there', async () => {
    const { transcript } = begin({ file: path.join(folder, 'no', 'run.jsonl') });
    transcript.onEvent(ended);
    expect(await transcript.close()).toEqual({ problem: expect.stringContaining('ENOENT') });
  });

  function linkTo(text: string, isHard = false): void {
    const target = path.join(folder, 'target');
    writeFileSync(target, text);
    if (isHard) linkSync(target, file);
    else symlinkSync(target, file);
  }
});

describe('a file that is not what was written', () => {
  const aside = (): string => path.join(folder, 'aside');
  test.each([
    ['grew', () => appendFileSync(file, '{"type":"done"}\n')],
    [
      'has other words of the same length',
      () => writeFileSync(file, readFileSync(file, 'utf8').replace('completed', 'cancelled')),
    ],
    ['is shorter', () => truncateSync(file, 30)],
    ['is gone', () => rmSync(file)],
    [
      'is another one with the same words',
      () => {
        copyFileSync(file, aside());
        renameSync(aside(), file);
      },
    ],
    [
      'is a link to itself elsewhere',
      () => {
        renameSync(file, aside());
        symlinkSync(aside(), file);
      },
    ],
    [
      'is a pipe that nobody writes to',
      () => {
        rmSync(file);
        spawnSync('mkfifo', [file]);
      },
    ],
    [
      'is a folder',
      () => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    ['lost its folder', () => rmSync(folder, { recursive: true })],
  ])('is not handed out: it %s', async (_name, spoil) => {
    const { transcript, log } = begin();
    transcript.onEvent(started);
    transcript.onEvent(ended);
    spoil();
    const end = await transcript.close();
    expect(end).toEqual({
      problem: expect.stringMatching(/run\.jsonl (is not what was written any more|could not be read back)/),
    });
    expect(log).toEqual([`[transcript] warning=not_kept problem=${'problem' in end ? end.problem : ''}`]);
    expect(await transcript.close()).toEqual(end);
  });

  test('what was written over and then by us again is as we wrote it', async () => {
    const { transcript } = begin();
    transcript.onEvent(started);
    appendFileSync(file, 'x'.repeat(20));
    transcript.onEvent(ended);
    expect(await transcript.close()).toEqual({ file });
    expect(linesOf()).toHaveLength(3);
  });
});

describe('a run that goes wrong', () => {
  const child = path.join(import.meta.dirname, 'transcript-child.ts');

  test('leaves whole lines when it is killed', () => {
    const { signal } = spawnSync(process.execPath, [child, 'killed', file]);
    expect(signal).toBe('SIGKILL');
    expect(linesOf().map(({ turn }) => turn)).toEqual([undefined, ...Array.from({ length: 49 }, (_, index) => index + 1)]);
  });

  test('goes on when nothing more can be written, and leaves whole lines', () => {
    // Blocks of 1024 bytes.
    const { stdout } = spawnSync('bash', ['-c', 'ulimit -f 10 && exec "$0" "$@"', process.execPath, child, 'full', file]);
    const { log, end } = JSON.parse(stdout.toString());
    expect(end.problem).toMatch(/run\.jsonl could not be written: EFBIG/);
    expect(log).toEqual([`[transcript] warning=not_kept problem=${end.problem}`]);
    const turns = linesOf().map(({ turn }) => turn);
    expect(turns.length).toBeGreaterThan(20);
    expect(turns).toEqual([undefined, ...Array.from({ length: turns.length - 1 }, (_, index) => index + 1)]);
  });
});
