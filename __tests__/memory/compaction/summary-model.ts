// A model that writes summaries by a function, and keeps what it was asked.
import type { CallContext, LLMProvider, ModelRequest, ModelResponse } from '../../../src/engine/ports.ts';
import { type Message, textOf, type Usage } from '../../../src/schema/message.ts';
import { says } from './histories.ts';

export const usage: Usage = { inputTokens: 900, outputTokens: 80, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** Enough words to be taken for a summary of anything. */
export const goodSummary = [
  '## Goal\nFix bug A in the cart, whose total is rounded before the tax is added.',
  '## Constraints\nThe file secret.cfg must not be touched.',
  '## Done\nThe rounding moved behind the tax in src/total.ts, and a test for it was written and passes.',
  '## Next steps\nRun the whole test suite, then look at the invoice, which uses the same function with another currency.',
].join('\n');

export interface SummaryModel extends LLMProvider {
  readonly requests: readonly ModelRequest[];
}

/** `answer` gets the number of the call, from 1. */
export function summaryModel(answer: (count: number, context: CallContext) => Promise<Message> | Message): SummaryModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async generate(request, context): Promise<ModelResponse> {
      requests.push(request);
      return { message: await answer(requests.length, context), usage };
    },
    generateStream: () => {
      throw new Error('a summary is not streamed');
    },
  };
}

export const goodModel = (): SummaryModel => summaryModel(() => says(goodSummary));

/** The text that the model was asked with. */
export function askedText(request: ModelRequest | undefined): string {
  return (request?.messages ?? []).map((message) => textOf(message.content)).join('\n');
}
