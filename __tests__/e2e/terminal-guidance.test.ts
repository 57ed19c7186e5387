// End to end on the sources: what the terminal tells the model of the repository around it.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { startLoopbackModel, startTerminal, terminalTimeout as timeout } from './terminal-process.ts';

test(
  'a folder of a repository follows the rules and has the skills of the whole',
  async () => {
    await using terminal = await startTerminal();
    await using model = await startLoopbackModel([
      { calls: [{ name: 'use_skill', arguments: { skill_name: 'release' } }] },
      { text: 'Known.' },
    ]);
    const folder = path.join(terminal.cwd, 'packages', 'api');
    const put = async (file: string, text: string) => {
      await mkdir(path.dirname(path.join(terminal.cwd, file)), { recursive: true });
      await writeFile(path.join(terminal.cwd, file), text);
    };
    await put('AGENTS.md', 'Rules of the whole.\n');
    await put('packages/api/AGENTS.md', 'Rules of the api.\n');
    await put('skills/release/SKILL.md', '---\nname: release\ndescription: How to release\n---\nTag it.\n');
    execFileSync('git', ['init', '-q'], { cwd: terminal.cwd });
    const ended = await terminal.run({ args: [...model.args, 'x'], env: model.env, cwd: folder });
    expect(ended).toMatchObject({ code: 0, stdout: 'Known.\n' });
    const [first, second] = model.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toMatch(/Rules of the whole\.[\s\S]*Rules of the api\.[\s\S]*release: How to release/);
    expect(first).toContain(`The repository's root is ${terminal.cwd}`);
    expect(second).toContain('Tag it.');
  },
  timeout,
);
