// What every registry of tools promises to the engine, as one suite that each implementation runs, over the doubles of doubles.ts.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ToolRegistry } from '../../src/engine/ports.ts';
import { type Part, type ToolResult, textOf, textPart } from '../../src/schema/message.ts';

/** A registry that has the doubles `tools`, and no other tool. */
export interface RegistryCase extends AsyncDisposable {
  readonly registry: ToolRegistry;
  readonly tools: readonly string[];
}

/** The double that the suite calls, and how models of other harnesses would call it (tools/canonical-call.ts). */
export interface Subject {
  readonly tool: string;
  readonly field: string;
  readonly spellings: readonly (readonly [name: string, field: string])[];
}

export const readFile: Subject = {
  tool: 'read_file',
  field: 'path',
  spellings: [
    ['Read', 'file_path'],
    ['functions.read_file', 'absolute_path'],
    ['READFILE', 'path'],
    ['view', 'filePath'],
  ],
};
export const useSkill: Subject = {
  tool: 'use_skill',
  field: 'skill_name',
  spellings: [
    ['Skill', 'skill'],
    ['tools/use_skill', 'name'],
    ['UseSkill', 'skillName'],
  ],
};

/** What differs by design. */
export interface Differences {
  /** Whether a tool gets the run's context: what it carries (a span, a counter) is of one process. */
  readonly keepsRun: boolean;
  /** Whether a call is answered whose tool hears no cancel: behind a pipe nobody can be waited for; in one process that is the engine's to do. */
  readonly answersForDeaf: boolean;
  /** Whether it tells which tool a call means, before it is run: the engine asks the outermost one only. */
  readonly tellsMeaning: boolean;
}

export interface Implementation extends Differences {
  readonly name: string;
  readonly create: () => Promise<RegistryCase>;
  readonly subject: Subject;
}

export function describeRegistry({ name, create, subject, ...differences }: Implementation): void {
  const { tool, field } = subject;
  const { keepsRun, answersForDeaf, tellsMeaning } = differences;
  let case_: RegistryCase;
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'harness9-registry-'));
    case_ = await create();
  });
  afterAll(async () => {
    await case_[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  let calls = 0;
  let signs = 0;
  /** The answer to one call. Its id is kept, whatever comes of it, and an answer is nothing but its known fields. */
  async function ask(
    toolName: string,
    raw: string,
    signal = new AbortController().signal,
  ): Promise<Omit<ToolResult, 'toolCallId'>> {
    calls += 1;
    const id = `call ${calls}`;
    const context = { signal, run: { [Symbol.for('depth')]: 1, turn: 7 } };
    const { toolCallId, ...answer } = await case_.registry.execute({ id, name: toolName, arguments: raw }, context);
    expect(toolCallId).toBe(id);
    return answer;
  }
  const tell = (told: string, signal?: AbortSignal) => ask(tool, JSON.stringify({ [field]: told }), signal);
  const says = (...output: readonly Part[]) => ({ output, isError: false });
  const refused = (text: string | RegExp) => ({ output: [{ type: 'text', text: expect.stringMatching(text) }], isError: true });
  const sign = (): string => {
    signs += 1;
    return path.join(folder, `sign-${signs}`);
  };
  const appears = async (file: string): Promise<void> => {
    while (!existsSync(file)) await delay(5);
  };

  describe(`${name} keeps the promises of a registry, called for ${tool}`, () => {
    test('[spec 5.4 GetAvailableTools] its definitions are sorted by name and the same bytes each time, whatever is called between', async () => {
      const before = case_.registry.getAvailableTools();
      expect(before.map((each) => each.name)).toEqual([...case_.tools].sort());
      const bytes = JSON.stringify(before);
      await tell('x');
      await ask('nope', '{}');
      expect(case_.registry.getAvailableTools()).toEqual(before);
      expect(JSON.stringify(case_.registry.getAvailableTools())).toBe(bytes);
    });

    test('[spec 5.4 Execute] a call is answered with what its tool says', async () => {
      const odd = 'a\nb\r\u2028\u0000\u{1F600}\ud83d 写 "\\';
      for (const told of ['x', odd, 'y'.repeat(40_000)]) {
        expect(await tell(told)).toEqual(says(textPart(JSON.stringify({ [field]: told }))));
      }
    });

    test('[spec 5.4 Execute] G6-25 an unknown tool is answered with what is there', async () => {
      for (const unknown of ['nope', '', '__proto__', 'constructor', 'toString', 'n'.repeat(100_000)]) {
        const answer = await ask(unknown, '{}');
        expect(answer).toEqual(refused(/^There is no tool named ".{0,100}"\. Available: \S/));
        const names = case_.registry.getAvailableTools().map(({ name }) => name);
        expect(textOf(answer.output)).toMatch(new RegExp(`Available: ${names.join(', ')}\\.$`));
        expect(textOf(answer.output).length).toBeLessThan(1_000);
      }
    });

    test('G6-25 other spellings of the name and the field mean the same', async () => {
      for (const [otherName, otherField] of subject.spellings) {
        const answer = await ask(otherName, JSON.stringify({ [otherField]: 'x', limit: '3', description: 'why' }));
        expect(answer).toEqual(says(textPart(JSON.stringify({ [field]: 'x', limit: 3 }))));
      }
    });

    test('G6-25 what a call means is told in the words of its tool; what means nothing stays as it is', () => {
      const told = (wantedName: string, args: string) =>
        case_.registry.canonicalCall?.({ id: 'c', name: wantedName, arguments: args });
      for (const [otherName, otherField] of subject.spellings) {
        const meant = { id: 'c', name: tool, arguments: JSON.stringify({ [field]: 'x' }) };
        expect(told(otherName, JSON.stringify({ [otherField]: 'x' }))).toEqual(tellsMeaning ? meant : undefined);
      }
      expect(told('nope', '{')).toEqual(tellsMeaning ? { id: 'c', name: 'nope', arguments: '{' } : undefined);
    });

    test('a call in the tool’s own words is the call that runs, and has no other words', async () => {
      const { canonicalCall } = case_.registry;
      if (canonicalCall === undefined) return;
      for (const [otherName, otherField] of subject.spellings) {
        const given = { id: 'c', name: otherName, arguments: JSON.stringify({ [otherField]: 'x', limit: '3' }) };
        const canonical = canonicalCall(given);
        expect(canonical).toEqual({ id: 'c', name: tool, arguments: JSON.stringify({ [field]: 'x', limit: 3 }) });
        expect(canonicalCall(canonical)).toEqual(canonical);
        expect(await ask(canonical.name, canonical.arguments)).toEqual(await ask(given.name, given.arguments));
      }
      for (const [name, raw] of [
        ['nope', '{}'],
        ['', ''],
        [tool, '{'],
        [tool, '[]'],
      ] as const) {
        expect(canonicalCall({ id: 'c', name, arguments: raw })).toEqual({ id: 'c', name, arguments: raw });
      }
    });

    test.each(['{', '{"a":', 'x', '[1', '{"a":1}}', '\u0000', '['.repeat(100_000)])(
      'G2-02 arguments that are no JSON are told as such, and nothing is done (%#)',
      async (raw) => {
        expect(await ask(tool, raw)).toEqual(refused(new RegExp(`^${tool}: the arguments are .*nothing was done`, 'is')));
      },
    );

    test.each(['', ' ', 'null', '{}', '[]', '"x"', '7', '{"limit":1}'])(
      'G2-01 arguments that do not fit are told by field (%p)',
      async (raw) => {
        expect(await ask(tool, raw)).toEqual(
          refused(new RegExp(`^${tool}: the arguments do not fit.*(${field}|an? JSON object)`, 's')),
        );
      },
    );

    test('wrong arguments keep the tool from running', async () => {
      const file = sign();
      const raw = JSON.stringify({ [field]: `touches:${file}`, limit: 'many', colour: 'red' });
      expect(await ask(tool, raw)).toEqual(
        refused(/- "limit" is "many"; expected: .*\n- "colour" is not a field of this tool\./),
      );
      expect(existsSync(file)).toBe(false);
    });

    test('[spec 3.2 ToolResult.IsError] a tool that throws, or answers with nothing, is a failure that names it', async () => {
      expect(await tell('throws')).toEqual(refused(`^${tool}: it broke$`));
      expect(await tell('nothing')).toEqual(refused(`^${tool}: the tool answered with neither a text nor a result`));
      expect(await tell('fails')).toEqual(refused('^did not work$'));
    });

    test('an empty output is an answer that succeeded', async () => {
      expect(await tell('silent')).toEqual(says(textPart('')));
    });

    test('images and the end of a command come along', async () => {
      expect(await tell('shows')).toEqual(says(textPart('look'), { type: 'image', mediaType: 'image/png', data: 'iVBORw0K' }));
      const exit = { code: null, signal: 'SIGKILL', timedOut: false };
      expect(await tell('exits')).toEqual({ output: [textPart('gone')], isError: true, exit });
    });

    test(`the run’s context ${keepsRun ? 'reaches' : 'does not reach'} the tool`, async () => {
      expect(await tell('run')).toEqual(says(textPart(keepsRun ? '{"turn":7}' : 'null')));
    });

    test('calls at the same time are answered each with its own, ids that are alike too', async () => {
      const told = Array.from({ length: 20 }, (_, index) => `told ${index}`);
      const context = { signal: new AbortController().signal, run: {} };
      const answers = await Promise.all(
        told.map((each) =>
          case_.registry.execute({ id: 'same', name: tool, arguments: JSON.stringify({ [field]: each }) }, context),
        ),
      );
      expect(answers).toEqual(told.map((each) => ({ toolCallId: 'same', ...says(textPart(JSON.stringify({ [field]: each }))) })));
    });

    test('a call that was called off before it began does nothing', async () => {
      const file = sign();
      expect(await tell(`touches:${file}`, AbortSignal.abort())).toEqual(refused(`^${tool}: cancelled before it began`));
      expect(existsSync(file)).toBe(false);
    });

    test('a call that is called off is answered with what there is, the others go on', async () => {
      const [file, controller] = [sign(), new AbortController()];
      const other = tell(`waits:${sign()}`);
      const pending = tell(`waits:${file}`, controller.signal);
      await appears(file);
      controller.abort(new Error('enough'));
      expect(await pending).toEqual({ output: [textPart('as far as it came')], isError: true });
      expect(await Promise.race([other, delay(50, 'it waits')])).toBe('it waits');
    });

    if (!answersForDeaf) return;
    test('a call whose tool hears no cancel is answered all the same', async () => {
      const [file, controller] = [sign(), new AbortController()];
      const pending = tell(`deaf:${file}`, controller.signal);
      await appears(file);
      controller.abort();
      expect(await pending).toEqual(refused('^Cancelled; '));
      expect(await tell('x')).toMatchObject({ isError: false });
    });
  });
}
