// Owns what the options of a comment may ask for within what the workflow allows; what is too much of a number is lowered in the plan. Pure.
import type { Instruction, Skip } from '../../schema/gate.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { type SkipDecision, skip } from './skip.ts';

/** The workflow's own name of the model that was asked for, exactly or without its provider; null: none was, or it is not among them. */
export function chosenModel(wanted: string | undefined, models: readonly string[]): string | null {
  if (wanted === undefined) return null;
  return models.find((model) => model === wanted) ?? models.find((model) => withoutProvider(model) === wanted) ?? null;
}

/** One notice for everything that is not readable or not allowed: a run that does something else than was asked for helps nobody. */
export function refuseOptions(
  { instruction: { model }, problems }: { readonly instruction: Instruction; readonly problems: readonly string[] },
  { models }: Pick<GateSettings, 'models'>,
  notice: Skip['notice'],
): SkipDecision | null {
  const isUnknown = model !== undefined && chosenModel(model, models) === null;
  const all = [...problems, ...(isUnknown ? [`\`--model ${model}\` is not offered here; ${renderModels(models)}.`] : [])];
  if (all.length === 0) return null;
  return skip('bad_option', `${all.join(' ')} Write an option in \`code\` where it is only talked about.`, 'denied', notice);
}

function renderModels(models: readonly string[]): string {
  if (models.length === 0) return 'the workflow names no model to choose from (inputs `model` and `fallback_models`)';
  return `the workflow offers ${models.map((model) => `\`${model}\``).join(', ')}`;
}

/** `openai/gpt-5` → `gpt-5`; the name of a model may hold further slashes. */
function withoutProvider(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}
