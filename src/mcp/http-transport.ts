// An MCP server that is reached over HTTP: the SDK's transport, with bounds on what one answer may hold and an end to waiting for an
// answer that cannot come any more. The SDK keeps redirects within the origin of the URL, so headers go nowhere else.
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { parseJson } from '../schema/parse-json.ts';
import { isRecord } from '../schema/record.ts';
import type { Clock } from '../schema/world.ts';
import { boundBody } from './bound-body.ts';
import type { Sdk } from './sdk.ts';
import { patiently } from './within.ts';

/** Beyond its first try the SDK opens a broken stream this often again. */
const maxResumptions = 2;
/** What has arrived is read by the SDK within this time. */
const settleMs = 500;
/** Of what the server asked, on their way to it at a time: it may ask without end, and take none of them. */
const maxAnswers = 100;
/** How long a server may take to forget a session. */
const goodbyeMs = 2_000;

export interface HttpParts {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly sdk: Sdk;
}

/** A request without an answer. `token`: where its stream can be taken up again; `failures`: how often that went wrong in a row. */
interface Pending {
  token?: string;
  failures: number;
}

export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #parts: HttpParts;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #life = new AbortController();
  #answers = 0;
  #version = '';
  #closing: Promise<void> | undefined;

  constructor(parts: HttpParts) {
    this.#parts = parts;
    this.#inner = new parts.sdk.StreamableHTTPClientTransport(new URL(parts.url), {
      fetch: (url, init) => this.#fetch(url, init),
      requestInit: { headers: parts.headers },
      reconnectionOptions: {
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 30_000,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: maxResumptions,
      },
    });
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => {
      // What ends with the connection is no error.
      if (!this.#life.signal.aborted) this.onerror?.(error);
    };
    this.#inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => this.#receive(message, extra);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = requestIdOf(message);
    if (!('method' in message)) return await this.#answer(message);
    if (id === undefined) {
      if (message.method === 'notifications/cancelled') this.#forget(message.params?.requestId);
      return await this.#inner.send(message);
    }
    const pending: Pending = { failures: 0 };
    this.#pending.set(id, pending);
    try {
      await this.#inner.send(message, { onresumptiontoken: (token) => Object.assign(pending, { token, failures: 0 }) });
    } catch (error) {
      this.#pending.delete(id);
      throw error;
    }
  }

  async #answer(message: JSONRPCMessage): Promise<void> {
    if (this.#answers >= maxAnswers) throw new Error(`the server asks, and does not take ${maxAnswers} answers`);
    this.#answers += 1;
    try {
      await this.#inner.send(message);
    } finally {
      this.#answers -= 1;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { sessionId } = this.#inner;
    this.#life.abort();
    // First: the SDK would try to take up the streams that end with the session.
    await this.#inner.close();
    if (sessionId !== undefined) await this.#endSession(sessionId);
  }

  async #endSession(sessionId: string): Promise<void> {
    const { url, fetch, clock } = this.#parts;
    const over = new AbortController();
    const headers = { ...this.#parts.headers, 'mcp-session-id': sessionId, 'mcp-protocol-version': this.#version };
    const goodbye = fetch(url, { method: 'DELETE', headers, redirect: 'manual', signal: over.signal });
    await patiently(goodbyeMs, goodbye, clock);
    over.abort();
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if ('result' in message || 'error' in message) this.#forget(message.id);
    this.onmessage?.(message, extra);
  }

  #forget(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#pending.delete(id);
  }

  async #fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const resumed = this.#resumedBy(init);
    try {
      const response = await this.#parts.fetch(url, init);
      // 405: it resumes nothing, and the SDK does not ask again.
      if (response.status >= 400) this.#resumptionFailed(resumed, response.status === 405 ? maxResumptions : 1);
      const asked = init.method === 'POST' ? requestIdOf(parseJson(String(init.body))) : undefined;
      return boundBody(response, { onEnd: () => this.#streamEnded(asked), onTooLong: (why) => this.#fail(asked, why) });
    } catch (error) {
      this.#resumptionFailed(resumed, 1);
      throw error;
    }
  }

  /** The request whose stream is taken up again. */
  #resumedBy(init: RequestInit): RequestId | undefined {
    const token = new Headers(init.headers).get('last-event-id');
    if (token === null) return undefined;
    return Array.from(this.#pending).find(([, pending]) => pending.token === token)?.[0];
  }

  #resumptionFailed(id: RequestId | undefined, count: number): void {
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (pending === undefined) return;
    pending.failures += count;
    if (pending.failures >= maxResumptions)
      this.#fail(id, 'the connection was cut before the answer came, and could not be taken up again');
  }

  /** A stream that ends without the answer is waited for by the SDK for ever, unless it can be resumed. */
  #streamEnded(id: RequestId | undefined): void {
    if (id === undefined) return;
    this.#parts.clock.sleep(settleMs, this.#life.signal).then(
      () => {
        const pending = this.#pending.get(id);
        if (pending !== undefined && pending.token === undefined) this.#fail(id, 'the connection was cut before the answer came');
      },
      () => {},
    );
  }

  /** Answers a request in the server's place. */
  #fail(id: RequestId | undefined, message: string): void {
    if (id === undefined || !this.#pending.delete(id)) return;
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: this.#parts.sdk.ErrorCode.ConnectionClosed, message } });
  }
}

function requestIdOf(message: unknown): RequestId | undefined {
  if (!isRecord(message) || !('method' in message)) return undefined;
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : undefined;
}
