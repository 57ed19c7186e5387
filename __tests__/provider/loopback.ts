// What the strict servers of both vendors have in common: requests that are read and remembered, answers that come whole, in events or torn off.
import { createServer, type ServerResponse } from 'node:http';
import { closeServer, listen, readBody } from './byte-server.ts';

/** What every strict server can be told. `Answer`: what its model says next, or how the call fails. */
export interface StrictOptions<Request, Answer> {
  /** Called for each request that the vendor would take. */
  readonly answer: (request: Request, number: number) => Answer;
  readonly maxOutputTokens?: number;
  /** Tokens of input that fit the model; default: any number. */
  readonly window?: number;
}

export interface StrictServer<Exchange> extends AsyncDisposable {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
}

/** Starts it; for `await using`. `check` judges a request by its text, `respond` answers by what was found. */
export async function startLoopback<Exchange>(
  check: (text: string) => Exchange,
  respond: (exchange: Exchange, outgoing: ServerResponse) => void,
): Promise<StrictServer<Exchange>> {
  const exchanges: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    void readBody(incoming).then((text) => {
      const exchange = check(text);
      exchanges.push(exchange);
      respond(exchange, outgoing);
    });
  });
  const url = await listen(server);
  return { url, exchanges, [Symbol.asyncDispose]: () => closeServer(server) };
}

export function sendJson(
  outgoing: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(body));
}

/** An answer, or the half of it that came before the connection broke. */
export function sendBytes(
  outgoing: ServerResponse,
  type: 'application/json' | 'text/event-stream',
  bytes: string,
  isTorn: boolean,
): void {
  outgoing.writeHead(200, { 'content-type': type });
  if (isTorn) outgoing.write(bytes, () => outgoing.destroy());
  else outgoing.end(bytes);
}
