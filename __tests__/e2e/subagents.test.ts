// End to end on dist: parts of the work go to sub-agents, side by side and in the background; all are joined, counted and told.
import { expect, test } from '@jest/globals';
import { laterStep } from './later-step.ts';
import { mention, mentionOn } from './mention.ts';
import { isSubagents, played } from './played.ts';
import { mendingTurn, shopFiles, startScene } from './scene.ts';

const timeout = 180_000;
const reviewer = `---
name: reviewer
description: Reads a file and says what is wrong with it
tools: read_file, bash(node --test:*)
max_turns: 3
---
You review.
`;

const task = (agent: string, prompt: string, background = false) => ({
  name: 'task',
  arguments: { agent, prompt, ...(background ? { background } : {}) },
});

test(
  '[spec 9 multi-agent] three side by side, one of them failing, one over its limit; each is told to the model and counted',
  async () => {
    const reads = { calls: [{ name: 'read_file', arguments: { path: 'src/total.js' } }] };
    await using scene = await startScene(
      played({
        '': [
          { calls: [task('reviewer', 'ORDER one'), task('reviewer', 'ORDER two'), task('explorer', 'ORDER three')] },
          { text: 'Put together.' },
        ],
        'ORDER one': [reads, { text: 'It subtracts.' }],
        'ORDER two': [reads, reads, { text: 'CUT SHORT' }],
        'ORDER three': [{ status: 401, error: 'no more' }],
      }),
      { files: { ...shopFiles, '.harness9/agents/reviewer.md': reviewer } },
    );
    await using later = await laterStep();
    // A hook of the run's end and a verification are the parent's alone, and keep no sub-agent from its work.
    const inputs = { hooks: 'Stop: [{ command: "true" }]\nTurnComplete: [{ command: "true" }]', verify_command: 'node --test' };
    const { issue, result } = await mention(scene, { options: later.options, inputs });
    expect(scene.replies(issue).at(-1)).toContain('Put together.');
    const last = scene.model.requests.at(-1)?.body ?? {};
    const told = JSON.stringify(last);
    expect(told).toContain('[reviewer: completed, 2 turns');
    expect(told).toContain('It subtracts.');
    expect(told).toContain('[reviewer: max_turns');
    expect(told).toContain('[explorer: error');
    // Of the parent 2, and of its sub-agents 2, 3 and the one that failed.
    expect(scene.model.requests).toHaveLength(8);
    const { inputTokens, outputTokens } = scene.model.spent();
    const tokens = { input_tokens: `${inputTokens}`, output_tokens: `${outputTokens}` };
    expect(result.outputs).toMatchObject({ turns: '2', conclusion: 'no_changes', ...tokens });
    const thousands = Math.round((inputTokens + outputTokens) / 1000);
    expect(scene.replies(issue).at(-1)).toContain(` · 2 turns · 3 sub-agents (6 turns) · ${thousands} k tokens · `);
    const transcript = (await later.read(result.outputs.execution_file)).toString();
    expect(transcript.match(/"type":"subagent_update"/g)).toHaveLength(6);
  },
  timeout,
);

test(
  'a sub-agent has no tool and no permission that its parent lacks, and begins no other',
  async () => {
    await using scene = await startScene(
      played({
        '': [{ calls: [task('reviewer', 'ORDER one')] }, { text: 'Done.' }],
        'ORDER one': [
          {
            calls: [
              { name: 'write_file', arguments: { path: 'src/x.js', content: 'x' } },
              { name: 'bash', arguments: { command: 'touch src/y.js' } },
              { name: 'bash', arguments: { command: 'node --test; touch src/z.js' } },
              task('explorer', 'ORDER deeper'),
            ],
          },
          { text: 'Could not.' },
        ],
      }),
      { files: { ...shopFiles, '.harness9/agents/reviewer.md': reviewer } },
    );
    const { result } = await mention(scene);
    expect(result.outputs).toMatchObject({ files_changed: '0' });
    const child = scene.model.requests.find(isSubagents);
    expect(JSON.stringify(child?.body.tools)).not.toMatch(/"name":"(?:write_file|edit_file|task|todo_write)"/);
  },
  timeout,
);

const widened = reviewer.replace(/^tools:.*$/m, "tools: '*'").replace('You review.', 'ROLE OF THE HEAD.');
const writes = { calls: [{ name: 'write_file', arguments: { path: 'src/x.js', content: 'x' } }] };

test.each([
  ['of this repository', {}],
  ['of a fork', { fork: 'oscar/shop' }],
])(
  '[B8] [I3] definitions are the base’s: the head of a pull request %s adds none and changes none',
  async (_whose, from) => {
    const parent = [{ calls: [task('reviewer', 'ORDER one'), task('evil', 'ORDER two')] }, { text: 'Done.' }];
    const children = { 'ORDER one': [writes, { text: 'Could not.' }], 'ORDER two': [{ text: 'EVIL' }] };
    await using scene = await startScene(played({ '': parent, ...children }), {
      files: { ...shopFiles, '.harness9/agents/reviewer.md': reviewer },
    });
    const files = {
      '.harness9/agents/reviewer.md': widened,
      '.claude/agents/reviewer.md': widened,
      '.claude/agents/evil.md': widened.replace('reviewer', 'evil'),
    };
    const pull = await scene.github.openPull({ author: 'wendy', title: 'More agents', head: 'more', files, ...from });
    scene.passMinute();
    const { result } = await mentionOn(scene, pull.number);
    expect(result.outputs).toMatchObject({ files_changed: '0' });
    const roles = scene.model.requests.map(({ body }) => /# Your role\\n([^\\]*)/.exec(JSON.stringify(body))?.[1]);
    expect(roles).toEqual([undefined, 'You review.', 'You review.', undefined]);
    expect(/there is no agent \W+evil/.test(JSON.stringify(scene.model.requests.at(-1)?.body))).toBe(true);
  },
  timeout,
);

test(
  '[I3] a command that rewrites a definition during the run changes nothing of it',
  async () => {
    const rewrites = { name: 'write_file', arguments: { path: '.harness9/agents/reviewer.md', content: widened } };
    const parent = [{ calls: [rewrites] }, { calls: [task('reviewer', 'ORDER one')] }, { text: 'Done.' }];
    await using scene = await startScene(played({ '': parent, 'ORDER one': [writes, { text: 'Could not.' }] }), {
      files: { ...shopFiles, '.harness9/agents/reviewer.md': reviewer },
    });
    await mention(scene);
    const child = scene.model.requests.filter(isSubagents);
    expect(child).toHaveLength(2);
    expect(JSON.stringify(child[0]?.body.tools)).not.toContain('"name":"write_file"');
    expect(JSON.stringify(child[1]?.body)).toContain('\\"write_file\\" was not run');
  },
  timeout,
);

test(
  'a job that is cancelled while they work ends them, and the reply says in a line each what became of them',
  async () => {
    const off = new AbortController();
    await using scene = await startScene(
      played({
        '': [{ text: 'I split it.', calls: [task('general', 'ORDER one', true), task('general', 'ORDER two')] }],
        'ORDER one': [{ text: 'late', delayMs: 50_000 }],
        'ORDER two': [mendingTurn, { calls: [{ name: 'bash', arguments: { command: 'sleep 50' } }] }],
      }),
    );
    const onLine = (_stream: string, line: string) => line.includes('tool=bash') && off.abort();
    const { issue, result } = await mention(scene, { options: { cancel: off.signal, onLine } });
    expect([result.conclusion, result.orphans]).toEqual(['cancelled', 0]);
    const [reply = '', ...more] = scene.replies(issue);
    expect(more).toEqual([]);
    expect(
      reply
        .split('\n')
        // Whether the command had ended before the sandbox was closed, and is not named, is a matter of time.
        .filter((line) => line.startsWith('> ') && !line.includes('Still running'))
        .toSorted(),
    ).toEqual([
      '> Too late for the answer: the sub-agent general, stopped after 1 turn',
      '> Too late for the answer: the sub-agent general, stopped after 2 turns: The sum subtracts.',
    ]);
    // What one of them had done is kept.
    expect(scene.github.snapshot().pulls).toHaveLength(1);
  },
  timeout,
);

test(
  'one in the background outlives the parent’s last turn: the run waits for it, and the model answers its report',
  async () => {
    await using scene = await startScene(
      played({
        '': [{ calls: [task('explorer', 'ORDER slow', true)] }, { text: 'Done for now.' }, { text: 'With its report.' }],
        'ORDER slow': [{ text: 'FOUND IT', delayMs: 1500 }],
      }),
    );
    const { issue, result } = await mention(scene);
    expect(result.outputs).toMatchObject({ turns: '3' });
    expect(JSON.stringify(scene.model.requests.at(-1)?.body)).toContain('FOUND IT');
    expect(scene.replies(issue).at(-1)).toContain('With its report.');
  },
  timeout,
);

test(
  'budgets are one: two at once spend no more than their parent has',
  async () => {
    const reads = (line: number) => ({
      calls: [{ name: 'read_file', arguments: { path: 'src/total.js', offset: line } }],
    });
    await using scene = await startScene(
      played({
        '': [{ calls: [task('general', 'ORDER one'), task('general', 'ORDER two')] }, { text: 'x' }, { text: 'x' }],
        'ORDER one': Array.from({ length: 20 }, (_, turn) => reads(turn + 1)),
        'ORDER two': Array.from({ length: 20 }, (_, turn) => reads(turn + 1)),
      }),
    );
    const { result } = await mention(scene, { inputs: { max_tokens_total: '20000' } });
    // Both stop early enough for the parent to have its say.
    expect(JSON.stringify(scene.model.requests.at(-1)?.body)).toContain('[general: budget');
    expect(Number(result.outputs.input_tokens) + Number(result.outputs.output_tokens)).toBeLessThanOrEqual(20_000);
  },
  timeout,
);
