// What the terminal says about a model that cannot be had: of variables and flags, since there are no inputs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { composeOutgoing } from '../../src/compose/outgoing.ts';
import { composeTerminalModel, type ModelWish } from '../../src/compose/terminal-model.ts';
import { createPrices } from '../../src/provider/prices.ts';
import { adviceOf } from '../../src/schema/error.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import type { World } from '../../src/schema/world.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'harness9-model-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(path.join(folder, 'broken.json'), '{"turns": [}');
writeFileSync(path.join(folder, 'empty.json'), '');
writeFileSync(path.join(folder, 'other.json'), '{"rounds": []}');

/** What is said, or the name of the model. */
async function compose(wish: Partial<ModelWish>, env: World['env'] = {}): Promise<string> {
  const silent = () => undefined;
  const world: World = { clock: systemClock, randomHex: () => 'f', env, fetch, stdout: silent, stderr: silent };
  const whole: ModelWish = {
    provider: 'auto',
    model: null,
    allowInsecureEndpoint: false,
    reasoningEffort: null,
    fallbackModels: [],
    ...wish,
  };
  const environment = { world, ...composeOutgoing(world, []), prices: createPrices(world.clock.now) };
  return await composeTerminalModel(whole, environment, folder).then(({ model }) => model, adviceOf);
}

const key = { OPENAI_API_KEY: 'a-key-0123456789' };
const scripted = { provider: 'scripted' } as const;
const pathHint = 'Give the path of a JSON file with the turns; a relative one starts in the folder that is worked in.';

describe('what is said', () => {
  test.each<[string, Partial<ModelWish>, World['env'], string]>([
    [
      'of no key',
      {},
      {},
      'there is no key: OPENAI_API_KEY or ANTHROPIC_API_KEY is not set\nSet it in the environment, or in a .env of this folder that git does not track.',
    ],
    ['of no key of a vendor', { provider: 'anthropic' }, key, 'there is no key: ANTHROPIC_API_KEY is not set\nSet it in'],
    [
      'of a fallback that is out of reach',
      { fallbackModels: ['gpt-x', 'claude-x'] },
      key,
      '--fallback-models: "claude-x" is of a vendor whose key is not given; expected models that can be asked\nSet OPENAI_API_KEY or',
    ],
    ['of no script', scripted, {}, `--provider scripted needs --model with the path of a JSON file of turns\n${pathHint}`],
    [
      'of a script that is not there',
      { ...scripted, model: 'turns.json' },
      {},
      `--model "turns.json" is read as the script of --provider scripted: there is no such file\n${pathHint}`,
    ],
    [
      'of a script that cannot be read',
      { ...scripted, model: '.' },
      {},
      '--model "." is read as the script of --provider scripted: ',
    ],
    [
      'of a script that is broken',
      { ...scripted, model: 'broken.json' },
      {},
      `the script "broken.json" is no JSON: Unexpected token`,
    ],
    ['of a script that is empty', { ...scripted, model: 'empty.json' }, {}, `the script "empty.json" is no JSON: Unexpected end`],
    [
      'of a script that is another thing',
      { ...scripted, model: 'other.json' },
      {},
      `The script "other.json" cannot be played:\n`,
    ],
    [
      'of an endpoint without a scheme',
      {},
      { ...key, OPENAI_BASE_URL: 'localhost:8080' },
      'The base URL of the model cannot be used: got a text of 14 characters that does not begin with https:// or http://.\nLet OPENAI_BASE_URL or ANTHROPIC_BASE_URL be a full URL without a key in it',
    ],
    [
      'of an endpoint without encryption',
      { provider: 'openai' },
      { ...key, OPENAI_BASE_URL: 'http://h.example' },
      'The base URL of the model, with the host h.example, is plain http: the key would cross the network unencrypted.\nUse https, or give --allow-insecure-endpoint',
    ],
  ])('%s', async (_case, wish, env, expected) => {
    const said = await compose(wish, env);
    expect(said.slice(0, expected.length)).toBe(expected);
    // The words of the Action.
    expect(said).not.toMatch(/the inputs?\b|input `|api_key|base_url|allow_insecure_endpoint|the repository|step/);
  });

  test('is nothing where there is a model', async () => {
    expect(await compose({ model: 'm' }, key)).toBe('m');
  });
});
