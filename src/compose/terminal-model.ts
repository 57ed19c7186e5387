// The model of a run in the terminal: keys and endpoints are what the user's own environment says.
import type { LLMProvider } from '../engine/ports.ts';
import { Harness9Error } from '../schema/error.ts';
import type { World } from '../schema/world.ts';
import { chooseModel, type ModelChoice, type ModelSettings } from './choose-model.ts';
import { composeModel } from './model.ts';
import { redactModel } from './redacted-model.ts';
import type { TerminalEnvironment } from './terminal-environment.ts';

export interface ModelWish {
  readonly provider: ModelSettings['provider'];
  readonly model: string | null;
}

/** The model, and its name. Throws PROVIDER_KEY_MISSING naming the variable, and what `chooseModel` and `composeModel` throw. */
export async function composeTerminalModel(
  wish: ModelWish,
  { world, log, redactor }: TerminalEnvironment,
  workDir: string,
): Promise<{ readonly provider: LLMProvider; readonly model: string }> {
  const settings = modelSettings(wish, world.env);
  const choice = choose(settings);
  const provider = redactModel(await composeModel(choice, settings, { world, log, scriptDir: workDir }), redactor);
  return { provider, model: choice.model };
}

function modelSettings(wish: ModelWish, env: World['env']): ModelSettings {
  const settings: ModelSettings = {
    provider: wish.provider,
    model: wish.model,
    apiKey: null,
    openaiKey: env.OPENAI_API_KEY || null,
    anthropicKey: env.ANTHROPIC_API_KEY || null,
    baseUrl: null,
    allowInsecureEndpoint: false,
    maxOutputTokens: null,
  };
  const endpoint = choose(settings).provider === 'anthropic' ? env.ANTHROPIC_BASE_URL : env.OPENAI_BASE_URL;
  return { ...settings, baseUrl: endpoint || null };
}

/** The same choice, in the words of a terminal: there are no inputs here. */
function choose(settings: ModelSettings): ModelChoice {
  try {
    return chooseModel(settings);
  } catch (cause) {
    if (!(cause instanceof Harness9Error) || cause.code !== 'PROVIDER_KEY_MISSING') throw cause;
    const wanted =
      settings.provider === 'auto' ? 'OPENAI_API_KEY or ANTHROPIC_API_KEY' : `${settings.provider.toUpperCase()}_API_KEY`;
    throw new Harness9Error({
      code: cause.code,
      message: `there is no key: ${wanted} is not set`,
      hint: 'Set it in the environment, or in a .env of this folder that git does not track.',
      cause,
    });
  }
}
