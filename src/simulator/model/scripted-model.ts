/** A model on loopback that plays a script: OpenAI Chat Completions and Anthropic Messages, streaming and blocking. Decides nothing. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { renderAnthropic } from './anthropic-dialect.ts';
import { renderOpenAI } from './openai-dialect.ts';
import type { Answer, ReceivedRequest, RenderedAnswer, ScriptedTurn, ScriptStep } from './scripted-turn.ts';

export interface ScriptedModel {
  /** `http://127.0.0.1:1234`: `base_url` for Anthropic. */
  readonly url: string;
  /** The same with `/v1`: `base_url` for OpenAI. */
  readonly openaiUrl: string;
  readonly requests: readonly ReceivedRequest[];
  /** Steps that nobody has asked for yet; a test that ends well leaves none. */
  remaining(): number;
  /** Tokens of all answers that arrived whole, as their usage says. */
  spent(): Spent;
  close(): Promise<void>;
}

export interface Spent {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ModelOptions {
  /** Called before a request is answered; what it returns is waited for. */
  readonly onRequest?: (request: ReceivedRequest) => Promise<void> | void;
}

/**
 * Starts the model. Steps are played in order, one a request, whatever the history looks like: compaction, reminders and earlier
 * sessions change the history, the order stays. A request beyond the script is refused with 400, so that nobody retries it.
 */
export async function startModel(script: readonly ScriptStep[], options: ModelOptions = {}): Promise<ScriptedModel> {
  const requests: ReceivedRequest[] = [];
  const answers: Spent[] = [];
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await receive(request);
    if (received === null) return sendError(response, { status: 404, error: `the scripted model has no ${request.url}` });
    const step = script[requests.length];
    requests.push(received);
    await options.onRequest?.(received);
    if (step === undefined)
      return sendError(response, {
        status: 400,
        error: `the script has ${script.length} steps; this was call ${requests.length}`,
      });
    const turn = typeof step === 'function' ? step(received) : step;
    const answer = await play(response, received, { turn, number: requests.length });
    if (answer !== undefined && turn.disconnect !== true) answers.push(answer);
  };
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    openaiUrl: `${url}/v1`,
    requests,
    remaining: () => Math.max(0, script.length - requests.length),
    spent: () => ({
      inputTokens: answers.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: answers.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    }),
    close: () => close(server),
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const path = (request.url ?? '').split('?')[0] ?? '';
  const dialect = path.endsWith('/chat/completions') ? 'openai' : path.endsWith('/messages') ? 'anthropic' : null;
  if (request.method !== 'POST' || dialect === null) return null;
  const body = parseObject(Buffer.concat(chunks).toString());
  const choice = body.tool_choice;
  const isForbidden =
    choice === 'none' || (typeof choice === 'object' && choice !== null && 'type' in choice && choice.type === 'none');
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    dialect,
    path,
    headers: Object.fromEntries(headers),
    body,
    isStream: body.stream === true,
    mayCall: !isForbidden && Array.isArray(body.tools),
    receivedAtMs: performance.now(),
  };
}

/** The answer that was sent; undefined where it was none. */
async function play(
  response: ServerResponse,
  request: ReceivedRequest,
  { turn, number }: { readonly turn: ScriptedTurn; readonly number: number },
): Promise<Answer | undefined> {
  if (turn.delayMs !== undefined && !(await waits(response, turn.delayMs))) return undefined;
  if (turn.status !== undefined && turn.status >= 400) {
    sendError(response, turn);
    return undefined;
  }
  const answer = answerOf(turn, request, number);
  send(
    response,
    { request, isCut: turn.disconnect === true },
    request.dialect === 'openai' ? renderOpenAI(answer) : renderAnthropic(answer),
  );
  return answer;
}

/** False when the client went away before the time was over. */
async function waits(response: ServerResponse, ms: number): Promise<boolean> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return delay(ms, true, { signal: gone.signal }).catch(() => false);
}

/** A model that may not call says its text, or that it was stopped. */
function answerOf(turn: ScriptedTurn, request: ReceivedRequest, number: number): Answer {
  const calls = request.mayCall ? (turn.calls ?? []) : [];
  const isSilenced = calls.length === 0 && (turn.calls ?? []).length > 0 && turn.text === undefined;
  const text = isSilenced ? 'I was stopped before I was done.' : (turn.text ?? '');
  const rendered = calls.map(({ name, arguments: given }, index) => ({
    id: `call_${number}_${index}`,
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  }));
  return {
    id: String(number),
    model: String(request.body.model ?? 'scripted'),
    text,
    calls: rendered,
    inputTokens: tokensOf(JSON.stringify(request.body)),
    outputTokens: tokensOf(text + JSON.stringify(rendered)),
  };
}

// Four characters a token: the usual estimate, good enough for a bill that nobody pays.
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

function send(
  response: ServerResponse,
  { request, isCut }: { readonly request: ReceivedRequest; readonly isCut: boolean },
  answer: RenderedAnswer,
): void {
  const { isStream } = request;
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json', 'cache-control': 'no-cache' });
  const parts = isStream ? answer.events : [JSON.stringify(answer.body)];
  if (!isCut) {
    for (const part of parts) response.write(part);
    response.end();
    return;
  }
  const whole = parts.join('');
  response.write(whole.slice(0, Math.ceil(whole.length / 2)), () => response.destroy());
}

function sendError(response: ServerResponse, turn: ScriptedTurn): void {
  const message = turn.error ?? `scripted failure ${turn.status}`;
  response.writeHead(turn.status ?? 500, { 'content-type': 'application/json', ...turn.headers });
  // Both vendors' clients find their own fields in this.
  response.end(JSON.stringify({ type: 'error', error: { type: 'scripted_error', code: null, message } }));
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the scripted model has no port');
  return address.port;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
