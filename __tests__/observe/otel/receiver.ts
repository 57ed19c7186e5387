// A receiver of traces on loopback: decodes what arrives as OTLP/HTTP says, or misbehaves as it is told.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const scalarSchema = z.union([
  z
    .object({ stringValue: z.string() })
    .strict()
    .transform((value) => value.stringValue),
  z
    .object({ boolValue: z.boolean() })
    .strict()
    .transform((value) => value.boolValue),
  // A 64-bit integer is a string in JSON; small ones may be numbers.
  z
    .object({ intValue: z.union([z.number().int(), z.string().regex(/^-?\d+$/)]) })
    .strict()
    .transform((value) => Number(value.intValue)),
  z
    .object({ doubleValue: z.number() })
    .strict()
    .transform((value) => value.doubleValue),
]);
const valueSchema = z.union([
  scalarSchema,
  z
    .object({ arrayValue: z.object({ values: z.array(scalarSchema) }) })
    .strict()
    .transform((value) => value.arrayValue.values),
]);
const attributesSchema = z
  .array(z.object({ key: z.string(), value: valueSchema }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])));

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
const nanoseconds = z.string().regex(/^\d+$/).transform(BigInt);

const spanSchema = z.object({
  traceId: hex(16),
  spanId: hex(8),
  parentSpanId: hex(8).optional(),
  name: z.string(),
  kind: z.number().int(),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes: attributesSchema,
  events: z.array(z.unknown()),
  links: z.array(z.unknown()),
  status: z.object({ code: z.number().int(), message: z.string().optional() }),
});
export type ReceivedSpan = z.infer<typeof spanSchema>;

const requestSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(spanSchema) })),
    }),
  ),
});

/** How it answers; `accept` takes the spans. A function answers by itself. */
type Manner = 'accept' | 'never' | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Receiver {
  /** The base, without `/v1/traces`. */
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly resources: Record<string, unknown>[];
  /** Everything that came in, as it came: head and body. */
  readonly raw: string[];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly spans: number }[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startReceiver(manner: Manner = 'accept'): Promise<Receiver> {
  const received: Pick<Receiver, 'spans' | 'resources' | 'raw' | 'requests'> = {
    spans: [],
    resources: [],
    raw: [],
    requests: [],
  };
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      received.raw.push(`${request.url}\n${JSON.stringify(request.rawHeaders)}\n${body}`);
      if (manner === 'never') return;
      if (manner !== 'accept') return manner(request, response);
      const { resourceSpans } = requestSchema.parse(JSON.parse(body));
      const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
      received.spans.push(...spans);
      received.resources.push(...resourceSpans.map(({ resource }) => resource.attributes));
      received.requests.push({ path: request.url ?? '', headers: request.headers, spans: spans.length });
      response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** The spans as a tree of names, children in the order of their beginning; every parent that is named must be there. */
export type Tree = { readonly [name: string]: readonly Tree[] };

export function treeOf(spans: readonly ReceivedSpan[]): readonly Tree[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const orphan = spans.find(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
  if (orphan !== undefined) throw new Error(`the parent of "${orphan.name}" is not there`);
  const childrenOf = (parent: string | undefined): readonly Tree[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .sort((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano))
      .map((span) => ({ [span.name]: childrenOf(span.spanId) }));
  return childrenOf(undefined);
}

/** Names of spans that are not of their parent's trace, do not last, or do not lie within their parent. */
export function misplaced(spans: readonly ReceivedSpan[]): readonly string[] {
  return spans
    .filter((span) => {
      const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
      const lasts = span.endTimeUnixNano > span.startTimeUnixNano;
      const isWithin =
        parent === undefined ||
        (parent.traceId === span.traceId &&
          parent.startTimeUnixNano <= span.startTimeUnixNano &&
          parent.endTimeUnixNano >= span.endTimeUnixNano);
      return !lasts || !isWithin;
    })
    .map(({ name }) => name);
}

export function spansNamed(spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] {
  return spans.filter((span) => span.name === name);
}
