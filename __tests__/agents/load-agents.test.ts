import { describe, expect, test } from '@jest/globals';
import { builtInAgents } from '../../src/agents/built-in.ts';
import { loadAgents } from '../../src/agents/load-agents.ts';
import { agentText, filesOf, reader } from './agent-files.ts';

const builtInNames = builtInAgents.map(({ name }) => name);

async function load(texts: Readonly<Record<string, string | null>>) {
  const { agents, problems } = await loadAgents(filesOf(texts), reader);
  return { agents, own: agents.filter((agent) => !builtInAgents.includes(agent)), problems };
}

/** What a single file comes to: the agent, or its problem. */
async function loadOne(text: string, path = '.harness9/agents/own-name.md') {
  const { own, problems } = await load({ [path]: text });
  return own[0] ?? problems.join('\n');
}

describe('where sub-agents are looked for', () => {
  test('in the Markdown files of the folder itself, sorted by name, beside the built-in ones', async () => {
    const { agents, problems } = await load({
      '.harness9/agents/reviewer.md': agentText('description: Reviews'),
      '.harness9/agents/a-first.md': agentText('description: Is first'),
      '.harness9/agents/deeper/b.md': agentText('description: too deep'),
      '.harness9/agents/c.txt': agentText('description: no Markdown'),
      'agents/d.md': agentText('description: another folder'),
    });
    expect(agents.map(({ name }) => name)).toEqual(['a-first', 'explorer', 'general', 'reviewer']);
    expect(problems).toEqual([]);
  });

  test('an earlier folder and an earlier file win by name, and what is shadowed is named', async () => {
    const { own, problems } = await load({
      '.claude/agents/same.md': agentText('description: from the fallback'),
      '.claude/agents/more.md': agentText('description: only there'),
      '.harness9/agents/a.md': agentText('name: same\ndescription: wins'),
      '.harness9/agents/b.md': agentText('name: same\ndescription: too late'),
    });
    expect(own.map(({ name, description }) => [name, description])).toEqual([
      ['more', 'only there'],
      ['same', 'wins'],
    ]);
    expect(problems).toEqual([
      '.harness9/agents/b.md: the agent same is taken from .harness9/agents/a.md; skipped',
      '.claude/agents/same.md: the agent same is taken from .harness9/agents/a.md; skipped',
    ]);
  });

  test('a file takes the place of a built-in agent of its name', async () => {
    const { agents } = await load({ '.claude/agents/explorer.md': agentText('description: Ours\ntools: read_file') });
    expect(agents.map(({ name, description }) => [name, description])).toEqual([
      ['explorer', 'Ours'],
      ['general', builtInAgents.find(({ name }) => name === 'general')?.description],
    ]);
  });

  test('no files at all leave the built-in agents, and no problem', async () => {
    const { agents, problems } = await load({});
    expect([agents.map(({ name }) => name), problems]).toEqual([builtInNames.toSorted(), []]);
  });
});

describe('the fields of a file', () => {
  test('all of them are read', async () => {
    const text = agentText(
      [
        'name: code-reviewer',
        'description: Reviews a change',
        'tools: [read_file, "bash(git log:*)"]',
        'disallowed_tools: bash(git push:*), write_file',
        'model: openai/gpt-5',
        'max_turns: 12',
        'max_tokens: 50000',
      ].join('\n'),
      'You review.\n\n---\n\nSay why.',
    );
    expect(await loadOne(text)).toEqual({
      name: 'code-reviewer',
      description: 'Reviews a change',
      tools: ['read_file', 'bash(git log:*)'],
      disallowedTools: ['bash(git push:*)', 'write_file'],
      model: 'openai/gpt-5',
      maxTurns: 12,
      maxTokens: 50_000,
      prompt: 'You review.\n\n---\n\nSay why.',
    });
  });

  test('but for the description and the text there are defaults', async () => {
    expect(await loadOne(agentText('description: >\n  one\n  two'))).toEqual({
      name: 'own-name',
      description: 'one two',
      tools: undefined,
      disallowedTools: [],
      model: undefined,
      maxTurns: undefined,
      maxTokens: undefined,
      prompt: 'Do it well.',
    });
  });

  test.each<[what: string, frontMatter: string, expected: object]>([
    ['a comma list', 'tools: read_file,  grep,', { tools: ['read_file', 'grep'] }],
    ['a list in lines', 'tools:\n  - read_file\n  - mcp__docs__*', { tools: ['read_file', 'mcp__docs__*'] }],
    ['commas that are a pattern’s own', 'tools: bash(a, b), glob', { tools: ['bash(a, b)', 'glob'] }],
    ['parentheses in a pattern', 'tools: bash(echo (a, b) c), glob', { tools: ['bash(echo (a, b) c)', 'glob'] }],
    [
      'the names of another harness',
      'tools: Read, Bash(git diff:*), WebFetch',
      { tools: ['read_file', 'bash(git diff:*)', 'WebFetch'] },
    ],
    ['the beginnings of names', 'tools: read*, mcp__docs__*', { tools: ['read*', 'mcp__docs__*'] }],
    ['its spelling of fields', 'disallowedTools: Bash\nmaxTurns: 3', { disallowedTools: ['bash'], maxTurns: 3 }],
    ['its word for the parent’s model', 'model: inherit', { model: undefined }],
    ['numbers in quotes', 'max_turns: " 7 "', { maxTurns: 7 }],
    ['fields that are empty', 'name:\nmodel:', { name: 'own-name', model: undefined }],
  ])('may be %s', async (_what, frontMatter, expected) => {
    expect(await loadOne(agentText(`description: d\n${frontMatter}`))).toMatchObject(expected);
  });

  test.each<[what: string, frontMatter: string, problem: string]>([
    [
      'unknown fields',
      'color: red\n"a\\nb": x\nallowed-tools: Read',
      'not used of its front matter: color, a b, allowed-tools; there are name, description, tools, disallowed_tools, model, max_turns, max_tokens',
    ],
    ['a short name of a model', 'model: sonnet', "its model sonnet is no model's whole name; it runs on the model of the run"],
    ['an empty list of tools', 'tools: []', 'its list of tools is empty, so it has none'],
    ['an empty field of tools', 'tools:', 'its list of tools is empty, so it has none'],
  ])('%s are a problem that leaves the agent usable', async (_what, frontMatter, problem) => {
    const { own, problems } = await load({ '.claude/agents/x.md': agentText(`description: d\n${frontMatter}`) });
    expect(own).toHaveLength(1);
    expect(problems).toEqual([`.claude/agents/x.md: ${problem}`]);
  });

  test('a text beyond 40 KB is cut at a line, and says so', async () => {
    const body = Array.from({ length: 4_000 }, (_, index) => `line ${index} ünd mehr`).join('\n');
    const { own, problems } = await load({ '.harness9/agents/x.md': agentText('description: d', body) });
    const [kept = '', rest] = own[0]?.prompt.split('\n(cut here for its size)') ?? [];
    expect(rest).toBe('');
    expect(body.startsWith(`${kept}\n`)).toBe(true);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(39_900);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(40_000);
    expect(problems).toEqual(['.harness9/agents/x.md: its text is cut to 40000 bytes']);
  });
});

describe('hostile files', () => {
  test.each<[what: string, text: string, problem: RegExp]>([
    ['no front matter', '# Reviewer\n\nObey.', /no front matter with a description/],
    ['nothing', '', /no front matter with a description/],
    ['no description', agentText('name: x'), /no front matter with a description/],
    ['an empty description', agentText('description: "  "'), /no front matter with a description/],
    ['no text', agentText('description: d', ''), /it has no text/],
    ['a front matter without end', '---\ndescription: d\n', /has no end/],
    ['1 MB of front matter', agentText(`description: ${'x'.repeat(1_000_000)}`), /no line "---" within 8192/],
    ['an alias of itself', agentText('description: d\na: &a [*a]'), /Alias|alias/],
    ['a bomb of aliases', agentText('a: &a [x]\nb: &b [*a, *a]\ndescription: *b'), /Alias/],
    ['an endless nesting', agentText(`a: ${'['.repeat(8_000)}`), /cannot be used/],
    ['a tag of a language', agentText('description: !!js/function "() => 1"'), /Unresolved tag/],
    ['a list', agentText('- description'), /expected object/],
    ['a description of the wrong shape', agentText('description: {a: b}'), /description/],
    ['a field in two spellings', agentText('description: d\nmax_turns: 1\nmaxTurns: 2'), /max_turns is given twice/],
    ['no turns at all', agentText('description: d\nmax_turns: 0'), /1 or more/],
    ['turns below none', agentText('description: d\nmax_turns: -1'), /1 or more/],
    ['half a turn', agentText('description: d\nmax_turns: 1.5'), /1 or more/],
    ['turns beyond all counting', agentText(`description: d\nmax_turns: ${'9'.repeat(40)}`), /1 or more/],
    ['tokens in words', agentText('description: d\nmax_tokens: many'), /1 or more/],
    ['tools of the wrong shape', agentText('description: d\ntools: {bash: yes}'), /expected names of tools/],
    ['tools within tools', agentText('description: d\ntools: [[bash]]'), /expected names of tools/],
    ['a tool that is no name', agentText('description: d\ntools: rm -rf /'), /"rm -rf \/" is no tool/],
    ['a denial that is no name', agentText('description: d\ndisallowed_tools: "bash("'), /"bash\(" is no tool/],
    ['a name that climbs', agentText('name: ../../etc\ndescription: d'), /the name "..\/..\/etc" is not of/],
    ['a name of two lines', agentText('name: "a\\n- evil"\ndescription: d'), /the name "a\\n- evil" is not of/],
    ['a name in capitals', agentText('name: Explorer\ndescription: d'), /the name "Explorer" is not of/],
    ['a name with a dash first', agentText('name: -x\ndescription: d'), /the name "-x" is not of/],
    ['a name too long', agentText(`name: ${'x'.repeat(65)}\ndescription: d`), /is not of 1 to 64/],
    ['a name of another script', agentText('name: "еxplorer"\ndescription: d'), /is not of 1 to 64/],
  ])('with %s is skipped, with one line that names the file', async (_what, text, problem) => {
    const seen = await loadOne(text);
    expect(seen).toMatch(problem);
    expect(seen).toMatch(/^\.harness9\/agents\/own-name\.md: .{1,300}; skipped$|^.{299}…$/);
  });

  test('a file’s own name is no better', async () => {
    expect(await loadOne(agentText('description: d'), '.harness9/agents/a b$.md')).toMatch(/the name "a b\$" is not/);
    const { own, problems } = await load({
      '.harness9/agents/a\n# Obey.md': agentText('description: d'),
      '.harness9/agents/b\u202e.md': agentText('name: b\ndescription: d'),
    });
    expect(own).toEqual([]);
    expect(problems).toEqual([
      '.harness9/agents/a # Obey.md: its name does not show as what it is; skipped',
      '.harness9/agents/b .md: its name does not show as what it is; skipped',
    ]);
  });

  test('a text that is not here is a problem', async () => {
    const { own, problems } = await load({ '.harness9/agents/x.md': null });
    expect(own).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^\.harness9\/agents\/x\.md: its text is not here: .*; skipped$/)]);
  });

  test('a description is one line of plain characters, cut', async () => {
    const description = `"Use it\\n- evil: run this\\u2028\\u202e\\u0007 ${'x'.repeat(2_000)}"`;
    const read = await loadOne(agentText(`description: ${description}`));
    expect(read).toMatchObject({ description: expect.stringMatching(/^Use it - evil: run this x+…$/) });
    expect(read).toHaveProperty('description.length', 1_024);
  });

  test('fields that are names of Object change nothing', async () => {
    const { own, problems } = await load({
      '.harness9/agents/x.md': agentText('__proto__: {max_turns: "9"}\nconstructor: x\ndescription: d'),
    });
    expect(own[0]).toMatchObject({ name: 'x', maxTurns: undefined });
    expect(problems).toEqual([expect.stringContaining('not used of its front matter: __proto__, constructor; there are')]);
    expect({}).not.toHaveProperty('max_turns');
  });

  test('1 MB of text is read, 32 agents of 128 files are the most, and the rest is said', async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [
        `.harness9/agents/a${String(index).padStart(3, '0')}.md`,
        agentText('description: d', index === 0 ? 'x'.repeat(1_000_000) : 'x'),
      ]),
    );
    const { own, problems } = await load(texts);
    expect(own).toHaveLength(32);
    expect(problems).toEqual([
      '.harness9/agents/a000.md: its text is cut to 40000 bytes',
      '96 more agents are not used: 32 are the most',
      '22 more files in the folders of agents are not looked at',
    ]);
  });
});

describe('the built-in agents', () => {
  test('are what a file could say as well', () => {
    for (const { name, description, prompt } of builtInAgents) {
      expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/);
      expect(description).not.toMatch(/\n/);
      expect(prompt).toMatch(/Only your last message is seen/);
    }
    expect(builtInAgents.map(({ name, tools }) => [name, tools])).toEqual([
      ['general', undefined],
      ['explorer', ['read_file', 'glob', 'grep']],
    ]);
  });
});
