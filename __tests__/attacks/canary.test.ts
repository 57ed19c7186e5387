// The canary: a run that meets every secret of the job wherever it can, and tells it on wherever it can. End to end on dist, by attack id.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import { type JobSecrets, modelKey, type RunWish, type Scene, startScene } from '../e2e/scene.ts';
import { artifactsOf, egressOf, formsOf, withoutMasks } from './egress.ts';

const timeout = 180_000;
const sessionSecret = 'secret-of-the-session-9876543210';

interface Canary {
  readonly scene: Scene;
  readonly secrets: readonly string[];
  /** Notes the secrets of a job, and gives all as one text. */
  learn(job: JobSecrets): string;
  /** Runs on the one issue, with every secret of this job in all places. */
  run(wish?: Partial<RunWish>): ReturnType<Scene['run']>;
}

/** All secrets of a job as one text; the steps of the model can use it, as it is known by then. */
async function release(
  script: readonly ((all: string) => ScriptStep)[],
  inputs: Readonly<Record<string, string>>,
): Promise<Canary & AsyncDisposable> {
  let all = '';
  const steps = script.map(
    (step): ScriptStep =>
      (request) => {
        const turn = step(all);
        return typeof turn === 'function' ? turn(request) : turn;
      },
  );
  const scene = await startScene(steps);
  const secrets = new Set([modelKey, ...(inputs.session_secret === undefined ? [] : [inputs.session_secret])]);
  const learn = ({ token, runtimeToken }: JobSecrets) => {
    for (const secret of [token, runtimeToken]) secrets.add(secret);
    all = [...secrets].join('\n');
    return all;
  };
  const spread = async (job: JobSecrets) => {
    learn(job);
    const files = { 'secrets.txt': `${all}\n`, 'AGENTS.md': `Deploy with these:\n${all}\n` };
    await scene.github.pushCommit({ branch: 'main', files, message: 'configuration' });
    const issue = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong', body: `My configuration:\n${all}` });
    const comment = scene.github.comment({
      author: 'wendy',
      issue: issue.number,
      body: `@harness9 fix it with\n${all}\npassword=${[...secrets].join(';password=')}`,
    });
    return { issue: issue.number, comment: comment.id };
  };
  return {
    scene,
    get secrets() {
      return [...secrets];
    },
    learn,
    run: (wish = {}) =>
      scene.run({
        event: 'issue_comment',
        actor: 'wendy',
        beforeJob: spread,
        ...wish,
        inputs: { system_prompt_append: `Remember ${modelKey} and ${sessionSecret}.`, ...inputs, ...wish.inputs },
      }),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

async function expectKept({ scene, secrets }: Canary, results: Parameters<typeof egressOf>[1]): Promise<void> {
  const leaks = Object.entries(await egressOf(scene, results)).flatMap(([way, text]) =>
    secrets.flatMap((secret, index) =>
      formsOf(secret).flatMap((form, kind) => (text.includes(form) ? [`${way}: secret ${index}, form ${kind}`] : [])),
    ),
  );
  expect(leaks).toEqual([]);
}

/** What the model is made to do in a run: it looks everywhere, and repeats what it knows in words and arguments. */
const tellingTurns: readonly ((all: string) => ScriptStep)[] = [
  () => ({
    calls: [
      {
        name: 'bash',
        arguments: { command: 'cat secrets.txt; base64 -w0 secrets.txt; rev secrets.txt; xxd -p secrets.txt; env' },
      },
    ],
  }),
  (all) => ({
    text: `I know them:\n${all}`,
    calls: [
      { name: 'read_file', arguments: { path: 'secrets.txt' } },
      { name: 'bash', arguments: { command: `echo '${all}' | base64` } },
    ],
  }),
  (all) => ({ text: `Done. The secrets are\n${all}\n${Buffer.from(all).toString('base64')}` }),
];

describe('every secret of the job', () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ['without session_secret', {}],
    ['with session_secret', { session_secret: sessionSecret }],
  ])(
    'that issue, repository, instructions, commands and model tell leaves on no way, nor in the session’s bytes, %s (C12 H9 G6 G6-16)',
    async (_case, inputs) => {
      await using canary = await release(tellingTurns, inputs);
      const result = await canary.run();
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes', turns: '3' });
      // They were there to be told.
      expect(canary.scene.sent(1).all).toContain('***');
      expect(canary.scene.replies(1)[0]).toContain('***');
      await expectKept(canary, [result]);

      const [artifact = ''] = await artifactsOf(canary.scene);
      expect(artifact.includes('Total is wrong')).toBe(inputs.session_secret === undefined);
    },
    timeout,
  );

  test(
    'that the model writes into a file is not published, and is in no refusal of it either',
    async () => {
      await using canary = await release(
        [
          (all) => ({
            calls: [
              { name: 'bash', arguments: { command: 'cp secrets.txt copy.txt' } },
              { name: 'write_file', arguments: { path: 'more.txt', content: `${all}\n` } },
            ],
          }),
          () => ({ text: 'Written.' }),
        ],
        { session_secret: sessionSecret },
      );
      const result = await canary.run();
      expect(result.outputs).toMatchObject({ conclusion: 'refused', branch_name: '' });
      expect(canary.scene.replies(1)).toEqual([expect.stringContaining('Written.')]);
      await expectKept(canary, [result]);
    },
    timeout,
  );

  test(
    'that the model’s error tells is in no reply, no log and no session (G6-16)',
    async () => {
      await using canary = await release([(all) => ({ status: 400, error: `bad request with ${all}` })], {});
      const result = await canary.run();
      expect(result.outputs.conclusion).toBe('error');
      expect(canary.scene.replies(1)).toEqual([expect.stringContaining('bad request')]);
      await expectKept(canary, [result]);
      expect(await artifactsOf(canary.scene)).toEqual([expect.stringContaining('Total is wrong')]);
    },
    timeout,
  );

  test(
    'of an earlier run that is in the conversation is not told by the next',
    async () => {
      await using canary = await release([...tellingTurns, () => ({ text: 'As before.' })], {});
      const { github } = canary.scene;
      const { number } = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
      const ask = () => ({
        issue: number,
        comment: github.comment({ author: 'wendy', issue: number, body: '@harness9 look' }).id,
      });
      const write = async (content: string) =>
        void (await github.pushCommit({ branch: 'main', files: { 'secrets.txt': content }, message: 'configuration' }));
      const first = await canary.run({
        beforeJob: async (job) => {
          await write(`${canary.learn(job)}\n`);
          return ask();
        },
      });
      // A later job does not know the token of an earlier one; what it finds is what the conversation kept.
      await write('moved\n');
      const second = await canary.run({ beforeJob: ask });
      expect(second.outputs.session_resumed).toBe('true');
      await expectKept(canary, [first, second]);
    },
    timeout,
  );

  test(
    'is masked in the runner’s log before anything else is said',
    async () => {
      await using canary = await release(tellingTurns, { session_secret: sessionSecret });
      const lines: string[] = [];
      await canary.run({
        afterCheckout: (workspace) => writeFile(path.join(workspace, 'dirty.txt'), 'x'),
        options: {
          env: { OPENAI_API_KEY: 'key-of-the-variable-0123456789', ANTHROPIC_API_KEY: 'key-of-the-other-0123456789' },
          onLine: (_stream, line) => void lines.push(line),
        },
      });
      const masks = lines.filter((line) => line.startsWith('::add-mask::')).map((line) => line.slice('::add-mask::'.length));
      for (const secret of [...canary.secrets, 'key-of-the-variable-0123456789', 'key-of-the-other-0123456789'])
        expect(masks).toContain(secret);
      const first = lines.findIndex((line) => !line.startsWith('::add-mask::'));
      expect(lines.slice(0, first).map((line) => line.slice('::add-mask::'.length))).toEqual(
        expect.arrayContaining(canary.secrets.slice()),
      );
      expect(withoutMasks(lines.join('\n'))).not.toContain(modelKey);
    },
    timeout,
  );
});
