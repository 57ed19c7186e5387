// A model whose calls are spans. Answers, failures and aborts go through as they are.
import type { Attributes, SpanKind } from '@opentelemetry/api';
import type { Message, Usage } from '../../schema/message.ts';
import type { CallContext, ModelRequest, ModelResponse } from '../../schema/model-call.ts';
import { ProviderError, type StreamChunk } from '../../schema/stream.ts';
import { answerAttributes, chatAttributes, type TracedModel } from './attributes.ts';
import type { Content } from './content.ts';
import { errorTypeOf } from './error-type.ts';
import type { LLMProvider } from './ports.ts';
import { type OpenSpan, openSpanOf, type Spans } from './spans.ts';

export interface ProviderTracing {
  readonly spans: Spans;
  readonly content: Content;
  readonly clientKind: SpanKind;
  readonly model: TracedModel;
}

/** `provider` with a span around each call; a stream's lasts until it ends, fails, is left or is called off. */
export function traceProvider(provider: LLMProvider, tracing: ProviderTracing): LLMProvider {
  return {
    async generate(request, context) {
      const chat = new Chat(tracing, request, context, false);
      try {
        const response = await provider.generate(request, chat.context);
        chat.answered(response);
        return response;
      } catch (error) {
        chat.failed(errorTypeOf(error));
        throw error;
      }
    },
    async *generateStream(request, context) {
      const chat = new Chat(tracing, request, context, true);
      try {
        for await (const chunk of provider.generateStream(request, chat.context)) {
          // Before the chunk is handed on: whoever has the last one may not come back for more.
          chat.saw(chunk);
          yield chunk;
        }
        chat.failed('stream_without_end');
      } catch (error) {
        chat.failed(errorTypeOf(error));
        throw error;
      } finally {
        chat.failed(context.signal.aborted ? errorTypeOf(context.signal.reason) : 'stream_left');
      }
    },
  };
}

/** One call. Its first end counts. */
class Chat {
  readonly context: CallContext;
  readonly #tracing: ProviderTracing;
  readonly #request: ModelRequest;
  readonly #span: OpenSpan;
  #firstChunkMs: number | undefined;
  #resets = 0;

  constructor(tracing: ProviderTracing, request: ModelRequest, context: CallContext, isStream: boolean) {
    const { spans, model, clientKind } = tracing;
    const { run, signal } = context;
    this.#tracing = tracing;
    this.#request = request;
    this.#span = spans.begin({
      role: 'chat',
      name: `chat ${model.model}`,
      kind: clientKind,
      run,
      attributes: chatAttributes(model, openSpanOf(run)?.conversationId, isStream),
      signal,
    });
    this.context = { ...context, run: this.#span.within(run) };
  }

  saw(chunk: StreamChunk): void {
    this.#firstChunkMs ??= this.#tracing.spans.elapsedMs(this.#span);
    if (chunk.type === 'reset') this.#resets += 1;
    if (chunk.type === 'done') this.answered(chunk);
    if (chunk.type === 'error') this.failed(errorTypeOf(new ProviderError(chunk.error)));
  }

  answered({ message, usage }: ModelResponse): void {
    const { parent } = this.#span;
    if (parent?.role === 'turn') parent.askedCalls += message.toolCalls?.length ?? 0;
    this.#end(message, usage ?? message.usage, undefined);
  }

  failed(errorType: string): void {
    this.#end(undefined, undefined, errorType);
  }

  #end(message: Message | undefined, usage: Usage | undefined, errorType: string | undefined): void {
    const { spans, content } = this.#tracing;
    const attributes = (): Attributes => ({
      ...this.#streamAttributes(),
      ...(message === undefined ? {} : answerAttributes(message, usage)),
      ...content.ofChat(this.#request, message),
    });
    spans.end(this.#span, { attributes, errorType });
  }

  /** How often what was shown was taken back because a retry began. */
  #streamAttributes(): Attributes {
    const firstChunkMs = this.#firstChunkMs;
    return {
      'gen_ai.response.time_to_first_chunk': firstChunkMs === undefined ? undefined : firstChunkMs / 1000,
      'harness9.resets': this.#resets === 0 ? undefined : this.#resets,
    };
  }
}
