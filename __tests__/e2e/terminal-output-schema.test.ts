// End to end on the sources: --output-schema makes the terminal's answer JSON that a script can read, in every format.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { conversationOf, parseLines, startLoopbackModel, startTerminal, terminalTimeout as timeout } from './terminal-process.ts';

const schema = JSON.stringify({ type: 'object', properties: { files: { type: 'array' } }, required: ['files'] });
const fenced = { text: 'Here it is:\n\n```json\n{ "files": ["note.txt"] }\n```\n' };
const value = { files: ['note.txt'] };

describe('--output-schema', () => {
  test(
    'as a file: as text stdout is the JSON and nothing else, whatever the model wrote around it',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([fenced]);
      await writeFile(path.join(terminal.cwd, 'answer.json'), schema);
      const ended = await terminal.run({ args: [...model.args, '--output-schema', './answer.json', 'go'], env: model.env });
      expect(ended).toMatchObject({ code: 0, stdout: '{"files":["note.txt"]}\n' });
      expect(JSON.stringify(model.requests[0]?.body.messages)).toContain('# Your last message');
    },
    timeout,
  );

  test.each(['json', 'stream-json'])(
    'as JSON: the result of %s has the value beside the message',
    async (format) => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([{ text: 'All is well.' }, fenced]);
      const flags = ['--output-format', format, '--output-schema', schema];
      const { code, stdout } = await terminal.run({ args: [...model.args, ...flags, 'go'], env: model.env });
      const last = parseLines(stdout).at(-1);
      const result = format === 'json' ? last : last?.data;
      expect(code).toBe(0);
      expect(result).toMatchObject({
        stopReason: 'completed',
        structuredOutput: value,
        finalMessage: fenced.text,
        turns: 2,
      });
    },
    timeout,
  );

  test(
    'an answer that does not fit after one round is an error: the text on stdout, what is wrong on stderr',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([{ text: '{}' }, { text: '{"files":1}' }]);
      const ended = await terminal.run({ args: [...model.args, '--output-schema', schema, 'go'], env: model.env });
      expect(ended).toMatchObject({ code: 1, stdout: '{"files":1}\n' });
      expect(ended.stderr).toContain('does not fit the output schema: at /files: must be array, seen 1');
      expect(conversationOf(model.requests[1])).toContain("must have required property 'files'");
    },
    timeout,
  );

  test.each([
    ['schema.json', /--output-schema: "schema.json" is taken as the text itself, and looks like the path of a file/],
    ['./none.json', /--output-schema: "\.\/none\.json" is read as a file/],
    ['{"type":', /--output-schema: the JSON Schema cannot be used: it is no JSON/],
    ['{"$ref":"https://example.com/x"}', /refers to "https:\/\/example\.com\/x", which is not in it/],
  ])(
    'that is none (%s) is a wrong command line, and no model is asked',
    async (given, words) => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([]);
      const ended = await terminal.run({ args: [...model.args, '--output-schema', given, 'go'], env: model.env });
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(words) });
      expect(model.requests).toEqual([]);
    },
    timeout,
  );
});
