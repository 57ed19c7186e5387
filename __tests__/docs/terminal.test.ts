// The specification's data flow of the command line, in a process of its own: a prompt comes by a pipe, the answer goes to stdout.
import { expect, test } from '@jest/globals';
import { startLoopbackModel, startTerminal, terminalTimeout } from '../e2e/terminal-process.ts';

test(
  '[spec 003 CLI run] [spec 003 CLI final reply] a piped prompt runs turn by turn, calls of a turn together, and only the final reply is printed on stdout',
  async () => {
    await using terminal = await startTerminal();
    const read = { name: 'read_file', arguments: { path: 'note.txt' } };
    await using model = await startLoopbackModel([
      { text: 'Looking.', calls: [read, { name: 'read_file', arguments: { path: 'missing.txt' } }] },
      { text: 'Again.', calls: [read] },
      { text: 'It says hello.' },
    ]);
    const args = model.args.filter((arg) => arg !== '-p');
    const ended = await terminal.run({ args, env: model.env, input: 'What does the note say?\n' });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: 'It says hello.\n' });
    const said = model.requests.map(({ body }) => (Array.isArray(body.messages) ? body.messages.slice(1) : []));
    expect(said[0]?.map(({ role, content }) => [role, content])).toEqual([['user', 'What does the note say?']]);
    expect(said.at(-1)?.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'What does the note say?'],
      ['assistant', 'Looking.'],
      ['tool', '1\thello\n[1 line]'],
      ['tool', expect.stringContaining('There is no "missing.txt"')],
      ['assistant', 'Again.'],
      ['tool', '1\thello\n[1 line]'],
    ]);
    expect(ended.stderr).toMatch(/^\[assistant\] Looking\.$/m);
    // Both calls of the first turn have begun before either has ended.
    const states = [...ended.stderr.matchAll(/^\[engine\] tool=read_file .*\bstate=(\w+)/gm)].map(([, state]) => state);
    expect(states).toHaveLength(6);
    expect(states.slice(0, 2)).toEqual(['started', 'started']);
  },
  terminalTimeout,
);
