/** The words of a model's script: what it answers, call by call. Types only. */

/** One answer of the model. `status` and `error` make it a failed one; `disconnect` cuts the answer in its middle. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> | string }[];
  readonly delayMs?: number;
  readonly status?: number;
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disconnect?: boolean;
}

/** A turn, or one that is made from the request that it answers. */
export type ScriptStep = ScriptedTurn | ((request: ReceivedRequest) => ScriptedTurn);

/** A request as the model received it. */
export interface ReceivedRequest {
  readonly dialect: 'openai' | 'anthropic';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isStream: boolean;
  /** False where the request forbids calls (`tool_choice: none`). */
  readonly mayCall: boolean;
  readonly receivedAtMs: number;
}

/** What one dialect makes of an answer. `events` are written one by one when the request asks for a stream. */
export interface RenderedAnswer {
  readonly body: unknown;
  readonly events: readonly string[];
}

/** An answer with everything decided: call ids, tokens. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}
