// Which models took over from which, as their answers tell it. Pure; who takes over is the provider's matter.
import type { Message } from '../schema/message.ts';
import type { ModelFailure } from '../schema/model-call.ts';
import type { Fallback } from '../schema/run.ts';

/** `known` and what `answer` adds to it: each switch from one model to the next once. */
export function withFallbacks(
  known: readonly Fallback[],
  { message, insteadOf = [] }: { readonly message: Message; readonly insteadOf?: readonly ModelFailure[] | undefined },
): readonly Fallback[] {
  const switches = insteadOf.map(({ model, why }, index): Fallback => {
    const to = insteadOf[index + 1]?.model ?? message.origin?.model ?? 'another model';
    return { from: model, to, why };
  });
  return [...known, ...switches.filter(({ from, to }) => !known.some((one) => one.from === from && one.to === to))];
}
