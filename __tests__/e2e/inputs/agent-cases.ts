// The inputs that decide which model works, with what, where and how long.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import { mention, mentionOn } from '../mention.ts';
import { mendingTurn, modelKey, startScene } from '../scene.ts';
import { withFastClock } from '../step-preload.ts';
import type { InputCase } from './input-case.ts';

const answer = { text: 'Answered.' };
const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });

export const agentCases: readonly InputCase[] = [
  {
    input: 'provider',
    shows: '`anthropic` speaks Messages to the endpoint',
    check: async () => {
      await using scene = await startScene([answer]);
      const { result } = await mention(scene, { inputs: { provider: 'anthropic', base_url: scene.model.url } });
      expect(result.outputs.conclusion).toBe('no_changes');
      expect(scene.model.requests.map(({ dialect, path: called }) => [dialect, called])).toEqual([['anthropic', '/v1/messages']]);
    },
  },
  {
    input: 'provider',
    shows: '`scripted` plays the turns of the file that `model` names, without a key',
    check: async () => {
      await using scene = await startScene([]);
      const script = JSON.stringify({ turns: [{ text: 'Played from the file.' }] });
      await scene.github.pushCommit({ branch: 'main', files: { 'turns.json': script }, message: 'a script' });
      const inputs = { provider: 'scripted', model: 'turns.json', api_key: '', base_url: '' };
      const { issue, result } = await mention(scene, { inputs });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes', final_message: 'Played from the file.' });
      expect(scene.replies(issue)).toEqual([expect.stringContaining('Played from the file.')]);
      expect(scene.model.requests).toEqual([]);
    },
  },
  {
    input: 'model',
    shows: 'is what the endpoint is asked for, without the provider before it',
    check: async () => {
      await using scene = await startScene([answer]);
      await mention(scene, { inputs: { provider: 'auto', model: 'openai/gpt-nine' } });
      expect(scene.model.requests.map(({ dialect, body }) => [dialect, body.model])).toEqual([['openai', 'gpt-nine']]);
    },
  },
  {
    input: 'fallback_models',
    shows: 'take over from a model that cannot serve, and the reply says for whom',
    check: async () => {
      await using scene = await startScene([{ status: 402, error: 'Insufficient Balance' }, bash('echo one'), answer]);
      const inputs = { model: 'gpt-own', fallback_models: 'gpt-own, gpt-spare\ngpt-last' };
      const { issue, result } = await mention(scene, { inputs });
      expect(result.outputs.conclusion).toBe('no_changes');
      expect(scene.model.requests.map(({ body }) => body.model)).toEqual(['gpt-own', 'gpt-spare', 'gpt-spare']);
      expect(scene.replies(issue)).toEqual([
        expect.stringContaining('`gpt-spare` took over from `gpt-own` (no credit left, status 402)'),
      ]);
    },
  },
  {
    input: 'fallback_models',
    shows: 'are told in one reply when one is out of reach, before any model is asked',
    check: async () => {
      await using scene = await startScene([]);
      const { issue, result } = await mention(scene, { inputs: { base_url: '', model: 'gpt-own', fallback_models: 'claude-x' } });
      expect(result.outputs).toMatchObject({
        conclusion: 'error',
        error: expect.stringContaining('input `fallback_models`: "claude-x"'),
      });
      expect(scene.replies(issue)).toEqual([expect.stringContaining('Once that is mended')]);
      expect(scene.model.requests).toEqual([]);
    },
  },
  {
    input: 'api_key',
    shows: 'is the key that the endpoint gets, before the variable of the step',
    check: async () => {
      await using scene = await startScene([answer, answer]);
      const options = { env: { OPENAI_API_KEY: 'key-of-the-variable-0123456789' } };
      await mention(scene, { options });
      await mention(scene, { inputs: { api_key: '' }, options });
      expect(scene.model.requests.map(({ headers }) => headers.authorization)).toEqual([
        `Bearer ${modelKey}`,
        'Bearer key-of-the-variable-0123456789',
      ]);
    },
  },
  {
    input: 'base_url',
    shows: 'is where the model is asked, its path kept',
    check: async () => {
      await using scene = await startScene([answer]);
      await mention(scene, { inputs: { base_url: `${scene.model.url}/gateway/v7/` } });
      expect(scene.model.requests.map(({ path: called }) => called)).toEqual(['/gateway/v7/chat/completions']);
    },
  },
  {
    input: 'allow_insecure_endpoint',
    shows: 'lets the key go over plain http beyond loopback, which is refused without it (I2)',
    check: async () => {
      await using scene = await startScene([answer]);
      // An address that is not loopback's by name and reaches this machine all the same.
      const base_url = scene.model.openaiUrl.replace('127.0.0.1', '0.0.0.0');
      const refused = await mention(scene, { inputs: { base_url } });
      expect(refused.result.exitCode).toBe(1);
      expect(refused.result.outputs.error).toContain('plain http');
      expect(scene.model.requests).toEqual([]);
      const allowed = await mention(scene, { inputs: { base_url, allow_insecure_endpoint: 'true' } });
      expect(allowed.result.outputs.conclusion).toBe('no_changes');
      expect(scene.model.requests).toHaveLength(1);
    },
  },
  {
    input: 'max_output_tokens',
    shows: 'is in the request',
    check: async () => {
      await using scene = await startScene([answer]);
      await mention(scene, { inputs: { max_output_tokens: '321' } });
      const { max_tokens, max_completion_tokens } = scene.model.requests[0]?.body ?? {};
      expect([max_tokens, max_completion_tokens]).toContain(321);
    },
  },
  {
    input: 'reasoning_effort',
    shows: 'is in the request, and a level that the server refuses becomes the nearest that it names',
    check: async () => {
      const refusal =
        "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'low' and 'high'.";
      await using scene = await startScene([{ status: 400, error: refusal }, answer]);
      const { result } = await mention(scene, { inputs: { reasoning_effort: 'xhigh' } });
      expect(result.outputs.conclusion).toBe('no_changes');
      expect(scene.model.requests.map(({ body }) => body.reasoning_effort)).toEqual(['xhigh', 'high']);
    },
  },
  {
    input: 'max_turns',
    shows: 'makes the last call the wrap-up and names itself in the reply',
    check: async () => {
      await using scene = await startScene([mendingTurn, { text: 'Half done.' }]);
      const { issue, result } = await mention(scene, { inputs: { max_turns: '2' } });
      expect(result.outputs).toMatchObject({ conclusion: 'max_turns', turns: '2' });
      expect(scene.model.requests.map(({ mayCall }) => mayCall)).toEqual([true, false]);
      expect(scene.replies(issue)).toEqual([expect.stringContaining('max_turns')]);
    },
  },
  {
    input: 'timeout_minutes',
    shows: 'ends a run whose model does not answer, keeps what was done, and names itself in the reply',
    check: async () => {
      await using scene = await startScene([mendingTurn, { text: 'too late', delayMs: 50_000 }, { text: 'Mended, unproven.' }]);
      const { issue, result } = await mention(scene, { inputs: { timeout_minutes: '1' }, options: { env: withFastClock(20) } });
      expect(result.outputs).toMatchObject({ conclusion: 'timeout', stop_reason: 'timeout', pull_request_number: '2' });
      expect(scene.replies(issue)).toEqual([expect.stringContaining('time limit of 1 m 0 s (timeout_minutes)')]);
      expect(await scene.github.git('show', `${result.outputs.branch_name}:src/total.js`)).toContain('sum + price');
    },
  },
  {
    input: 'max_tokens_total',
    shows: 'ends the run before it is used up, with a wrap-up, and names itself in the reply (R7)',
    check: async () => {
      await using scene = await startScene([{ ...mendingTurn, text: 'Let me see. '.repeat(300) }, { text: 'Half done.' }]);
      const { issue, result } = await mention(scene, { inputs: { max_tokens_total: '7000' } });
      expect(result.outputs).toMatchObject({ conclusion: 'budget', stop_reason: 'budget', turns: '2' });
      expect(Number(result.outputs.input_tokens) + Number(result.outputs.output_tokens)).toBeLessThanOrEqual(7_000);
      expect(scene.model.requests.map(({ mayCall }) => mayCall)).toEqual([true, false]);
      expect(scene.replies(issue)).toEqual([expect.stringMatching(/budget of 7,?000 tokens \(max_tokens_total\)/)]);
    },
  },
  {
    input: 'output_schema',
    shows: 'of the base commit is told to the model; what fits it after one round is an output, and code in the reply',
    check: async () => {
      const schema = (name: string) => JSON.stringify({ type: 'object', required: [name] });
      await using scene = await startScene([{ text: 'All is well.' }, { text: '{"ok":["@octocat"]}' }]);
      await scene.github.pushCommit({ branch: 'main', files: { 'answer.json': schema('ok') }, message: 'a schema' });
      const { issue, result } = await mention(scene, {
        inputs: { output_schema: './answer.json' },
        afterCheckout: (workspace) => writeFile(path.join(workspace, 'answer.json'), schema('bad')),
      });
      expect(result.outputs).toMatchObject({
        conclusion: 'no_changes',
        structured_output: '{"ok":["@octocat"]}',
        final_message: '{"ok":["@octocat"]}',
        turns: '2',
      });
      expect(String(scene.sent(0).messages[0]?.content)).toContain(schema('ok'));
      expect(scene.sent(1).all).toContain('it is no JSON');
      expect(scene.model.requests.map(({ mayCall }) => mayCall)).toEqual([true, false]);
      expect(scene.replies(issue)).toEqual([
        expect.stringMatching(/^```json\n\{\n {2}"ok": \[\n {4}"@octocat"\n {2}\]\n\}\n```\n/m),
      ]);
    },
  },
  {
    input: 'output_schema',
    shows: 'that the answer never fits is an error, with the answer in the reply; one that is none starts no model',
    check: async () => {
      await using scene = await startScene([{ text: 'Well.' }, { text: '{"ok":1}' }]);
      const inputs = { output_schema: '{"properties":{"ok":{"type":"string"}}}' };
      const { issue, result } = await mention(scene, { inputs });
      expect(result.exitCode).toBe(1);
      expect(result.outputs).toMatchObject({ conclusion: 'error', stop_reason: 'completed', structured_output: '' });
      expect(result.outputs.error).toContain('does not fit the output schema: at /ok: must be string, seen 1');
      expect(scene.replies(issue)).toEqual([expect.stringMatching(/"ok": 1[\s\S]*\*\*The final message does not fit/)]);
      const refused = await mention(scene, { inputs: { output_schema: '{"type":"objekt"}' } });
      expect(refused.result.outputs).toMatchObject({ conclusion: 'error', structured_output: '' });
      expect(refused.result.outputs.error).toContain('input `output_schema`: the JSON Schema cannot be used');
      expect(scene.replies(refused.issue)).toEqual([expect.stringContaining('Once that is mended')]);
      expect(scene.model.requests).toHaveLength(2);
    },
  },
  {
    input: 'max_cost_usd',
    shows: 'ends the run before it is spent, with a wrap-up, and names itself in the reply, which says what the run cost',
    check: async () => {
      await using scene = await startScene([{ ...mendingTurn, text: 'Let me see. '.repeat(300) }, { text: 'Half done.' }]);
      // A gateway's name for a model: whose price it is.
      const { issue, result } = await mention(scene, { inputs: { model: 'anthropic/claude-sonnet-4-0', max_cost_usd: '0.05' } });
      expect(result.outputs).toMatchObject({ conclusion: 'budget', stop_reason: 'budget', turns: '2' });
      expect(Number(result.outputs.cost_usd)).toBeGreaterThan(0.01);
      expect(Number(result.outputs.cost_usd)).toBeLessThanOrEqual(0.05);
      expect(scene.model.requests.map(({ mayCall }) => mayCall)).toEqual([true, false]);
      expect(scene.replies(issue)).toEqual([
        expect.stringMatching(/budget of \$0\.05 \(max_cost_usd\).* tokens · \$0\.0\d( ·|$)/s),
      ]);
    },
  },
  {
    input: 'max_cost_usd',
    shows: 'is refused for a model whose price nobody knows, in one reply, before the model is asked',
    check: async () => {
      await using scene = await startScene([answer]);
      const { issue, result } = await mention(scene, { inputs: { model: 'qwen-of-our-own', max_cost_usd: '1' } });
      expect([result.exitCode, result.outputs.triggered, result.outputs.conclusion]).toEqual([1, 'true', 'error']);
      expect(result.outputs.error).toContain('`max_cost_usd`: no price is known for the model "qwen-of-our-own"');
      expect(scene.replies(issue)).toEqual([expect.stringContaining('no price is known')]);
      expect(scene.model.requests).toEqual([]);
    },
  },
  {
    input: 'system_prompt_append',
    shows: 'stands at the end of the system prompt',
    check: async () => {
      await using scene = await startScene([answer]);
      await mention(scene, { inputs: { system_prompt_append: 'Say it in verse.' } });
      expect(scene.sent(0).messages[0]?.role).toBe('system');
      expect(String(scene.sent(0).messages[0]?.content)).toMatch(/Say it in verse\.\s*$/);
    },
  },
  {
    input: 'instructions_files',
    shows: 'are read from the base commit instead of AGENTS.md',
    check: async () => {
      await using scene = await startScene([answer]);
      await scene.github.pushCommit({ branch: 'main', files: { 'RULES.md': 'Rule one: be kind.\n' }, message: 'rules' });
      await mention(scene, {
        inputs: { instructions_files: 'RULES.md' },
        afterCheckout: (workspace) => writeFile(path.join(workspace, 'RULES.md'), 'Rule one: be rude.\n'),
      });
      expect(scene.sent(0).system).toContain('Rule one: be kind.');
      expect(scene.sent(0).system).not.toMatch(/be rude|node --test/);
    },
  },
  {
    input: 'working_directory',
    shows: 'is the checkout’s folder in the workspace',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer]);
      const { result } = await mention(scene, { inputs: { working_directory: 'sub' }, checkoutPath: 'sub' });
      expect(result.outputs).toMatchObject({ conclusion: 'success', files_changed: '1' });
      expect(await scene.github.git('show', `${result.outputs.branch_name}:src/total.js`)).toContain('sum + price');
    },
  },
  {
    input: 'sandbox',
    shows: '`none` is refused beside credentials that the checkout left, with the line to add, and taken without them',
    check: async () => {
      await using scene = await startScene([bash('grep NoNewPrivs /proc/self/status'), answer]);
      const refused = await mention(scene, { inputs: { sandbox: 'none' } });
      expect(refused.result.exitCode).toBe(1);
      expect(scene.replies(refused.issue)).toEqual([expect.stringContaining('`persist-credentials: false`')]);
      expect(scene.model.requests).toEqual([]);
      const taken = await mention(scene, { inputs: { sandbox: 'none' }, persistCredentials: false });
      expect(taken.result.outputs.sandbox).toBe('none');
      expect(scene.sent(1).all).toMatch(/NoNewPrivs:\\t0/);
    },
  },
  {
    input: 'sandbox',
    shows: '`process` takes new privileges away, `readonly` takes bash away',
    check: async () => {
      await using scene = await startScene([bash('grep NoNewPrivs /proc/self/status'), answer, answer]);
      const level = await mention(scene, { inputs: { sandbox: 'process' } });
      expect(level.result.outputs.sandbox).toBe('process');
      expect(scene.sent(1).all).toMatch(/NoNewPrivs:\\t1/);
      const readonly = await mention(scene, { inputs: { sandbox: 'readonly' } });
      expect(readonly.result.outputs.sandbox).toBe('readonly');
      expect(scene.sent(2).tools).not.toContain('"name":"bash"');
    },
  },
  {
    input: 'pass_env',
    shows: 'hands the named variable to commands, and no other',
    check: async () => {
      await using scene = await startScene([bash('echo "[$SHOP_MODE][$OTHER_MODE]"'), answer]);
      const options = { env: { SHOP_MODE: 'blue', OTHER_MODE: 'green' } };
      await mention(scene, { inputs: { pass_env: 'SHOP_MODE' }, options });
      expect(scene.sent(1).all).toContain('[blue][]');
    },
  },
  {
    input: 'pass_env',
    shows: 'with the name of a secret is refused by that name',
    check: async () => {
      await using scene = await startScene([]);
      const options = { env: { DEPLOY_TOKEN: 'deploy-token-0123456789' } };
      const { issue, result } = await mention(scene, { inputs: { pass_env: 'SHOP_MODE,DEPLOY_TOKEN' }, options });
      expect(result.exitCode).toBe(1);
      expect(result.outputs.error).toContain('"DEPLOY_TOKEN" looks like a secret');
      expect(scene.replies(issue)).toEqual([expect.stringContaining('looks like a secret')]);
      expect(scene.model.requests).toEqual([]);
    },
  },
  {
    input: 'session',
    shows: '`off` keeps no conversation',
    check: async () => {
      await using scene = await startScene([answer, answer]);
      const inputs = { session: 'off' };
      const { issue, result } = await mention(scene, { said: '@harness9 the word is plum', inputs });
      expect(result.outputs).toMatchObject({ session_id: '', session_resumed: 'false', session_artifact_id: '' });
      expect(result.outputs.session_file).toBeUndefined();
      await mentionOn(scene, issue, { said: '@harness9 again', inputs });
      expect(scene.sent(1).messages.filter(({ role }) => role === 'assistant')).toEqual([]);
      expect(scene.github.snapshot().artifacts).toEqual([]);
    },
  },
  {
    input: 'session',
    shows: '`new` starts afresh, and the next run continues from there',
    check: async () => {
      await using scene = await startScene([{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }]);
      const { issue } = await mention(scene);
      const afresh = await mentionOn(scene, issue, { said: '@harness9 again', inputs: { session: 'new' } });
      const next = await mentionOn(scene, issue, { said: '@harness9 and again' });
      expect([afresh.result.outputs.session_resumed, next.result.outputs.session_resumed]).toEqual(['false', 'true']);
      const said = [0, 1, 2].map((n) =>
        scene
          .sent(n)
          .messages.filter(({ role }) => role === 'assistant')
          .map(({ content }) => content),
      );
      expect(said).toEqual([[], [], ['Second.']]);
    },
  },
  {
    input: 'session_retention_days',
    shows: 'is when the artifact expires',
    check: async () => {
      await using scene = await startScene([answer]);
      await mention(scene, { inputs: { session_retention_days: '7' } });
      const created = scene.github.requests.find(({ path: called }) => called.endsWith('/CreateArtifact'));
      const { expires_at } = Object(created?.body);
      const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(6.9);
      expect(days).toBeLessThan(7.1);
    },
  },
  {
    input: 'session_secret',
    shows: 'signs the session: with another one it is not continued, and the reply says so',
    check: async () => {
      await using scene = await startScene([answer, answer, answer]);
      const { issue } = await mention(scene, { inputs: { session_secret: 'secret-of-the-session-1' } });
      const same = await mentionOn(scene, issue, { inputs: { session_secret: 'secret-of-the-session-1' } });
      const other = await mentionOn(scene, issue, { inputs: { session_secret: 'secret-of-the-session-2' } });
      expect([same.result.outputs.session_resumed, other.result.outputs.session_resumed]).toEqual(['true', 'false']);
      expect(scene.replies(issue)[2]).toContain('The earlier session was not used');
    },
  },
];
