/** The GraphQL API as a part of the server. It knows operations by their names and says so, as GraphQL says it: 200 with `errors`. */
import { readGrant } from '../auth.ts';
import { field } from '../http/call.ts';
import type { LimitedRequest, Limits } from '../http/limits.ts';
import { Refusal } from '../http/reply.ts';
import type { Answer, Part, RawRequest } from '../http/server.ts';
import type { Hub } from '../hub.ts';
import { type GraphqlCall, GraphqlError } from './operation.ts';
import { operations } from './operations.ts';

export function createGraphqlPart(hub: Hub, limits: Limits): Part {
  // Changes run one after the other, as if each were one transaction.
  let last: Promise<unknown> = Promise.resolve();
  const answerAll = async (request: RawRequest): Promise<Answer> => {
    const grant = readGrant(hub, request.headers.authorization);
    if (grant === undefined) throw new Refusal(401, 'Requires authentication');
    const body: unknown = JSON.parse(request.body.toString());
    const query = String(field(body, 'query') ?? '');
    const name = nameOf(query);
    const known = { route: `/graphql ${name}`, grant, body };
    const refused = limits.take(describeRequest(query, name, grant.actor));
    const headers = limits.headers({ actor: grant.actor, resource: 'graphql' });
    if (refused !== undefined) return { ...known, reply: { ...refused, headers: { ...headers, ...refused.headers } } };
    const answered = last.then(() => answer(() => perform(hub, name, { grant, variables: field(body, 'variables'), query })));
    last = answered.catch(() => undefined);
    return { ...known, reply: { status: 200, body: await answered, headers } };
  };
  return {
    kind: 'graphql',
    prefix: '/api/graphql',
    strip: '/api',
    answer: (request) => limits.run(() => answerAll(request)),
  };
}

function describeRequest(query: string, name: string, actor: string): LimitedRequest {
  const isWrite = /^\s*mutation\b/.test(query);
  return { actor, resource: 'graphql', route: 'graphql', isWrite, isContent: name === 'AddDiscussionComment' };
}

async function perform(hub: Hub, name: string, call: GraphqlCall): Promise<unknown> {
  const operation = operations[name];
  if (operation !== undefined) return operation(hub, call);
  const message = `The simulated GitHub does not know the operation ${name}.`;
  throw new GraphqlError(message, { type: 'NOT_IMPLEMENTED', path: [] });
}

function nameOf(query: string): string {
  return /^\s*(?:query|mutation)\s+(\w+)/.exec(query)?.[1] ?? '(without a name)';
}

async function answer(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return { data: await run() };
  } catch (error) {
    if (error instanceof GraphqlError) return renderError(error);
    // What the rules shared with REST refuse is worded alike here.
    if (error instanceof Refusal) return renderRefusal(error);
    throw error;
  }
}

function renderError({ message, type, path }: GraphqlError) {
  if (type === undefined || path === undefined) return { errors: [{ message }] };
  const place = path.length === 0 ? {} : { path };
  return { data: path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), null), errors: [{ type, ...place, message }] };
}

function renderRefusal(refusal: Refusal) {
  return { data: null, errors: [{ type: 'UNPROCESSABLE', message: refusal.texts.join(', ') }] };
}
