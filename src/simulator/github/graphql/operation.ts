/** What an operation of the GraphQL API is here: variables in, the whole of what could be selected out. */
import { hasOneOf, type Need } from '../auth.ts';
import { field } from '../http/call.ts';
import type { Hub } from '../hub.ts';
import type { Grant } from '../state.ts';

export interface GraphqlCall {
  readonly grant: Grant;
  readonly variables: unknown;
  /** The text of the operation: pages are as long as it says. */
  readonly query: string;
}

export type GraphqlOperation = (hub: Hub, call: GraphqlCall) => unknown;

/** An error of GraphQL: it comes with the status 200. The field that `path` names is null then. */
export class GraphqlError extends Error {
  readonly type: string | undefined;
  readonly path: readonly string[] | undefined;

  /** Without a type and a path: the request itself was wrong, and nothing was tried. */
  constructor(message: string, about: { type: string; path: readonly string[] } | undefined = undefined) {
    super(message);
    this.name = 'GraphqlError';
    this.type = about?.type;
    this.path = about?.path;
  }
}

/** Refuses as GraphQL refuses a token that lacks a permission. */
export function demand(call: GraphqlCall, path: string, needs: readonly Need[]): void {
  if (!hasOneOf(call.grant, needs)) throw forbidden(path);
}

export function forbidden(path: string): GraphqlError {
  return new GraphqlError('Resource not accessible by integration', { type: 'FORBIDDEN', path: [path] });
}

export function textOf(call: GraphqlCall, name: string): string {
  const value = field(call.variables, name);
  if (typeof value === 'string') return value;
  throw new GraphqlError(`Variable $${name} of type String! was provided invalid value`);
}

/** A variable that may be left out or null. */
export function optionalTextOf(call: GraphqlCall, name: string): string | null {
  const value = field(call.variables, name);
  return value === undefined || value === null ? null : textOf(call, name);
}

export function numberOf(call: GraphqlCall, name: string): number {
  const value = field(call.variables, name);
  if (typeof value === 'number') return value;
  throw new GraphqlError(`Variable $${name} of type Int! was provided invalid value`);
}

/** Refuses unless `$owner` and `$name` are this repository, and a private one to who may not see it. */
export function demandRepository(hub: Hub, call: GraphqlCall): void {
  const [owner, name] = [textOf(call, 'owner'), textOf(call, 'name')];
  const { repository } = hub.state;
  const isOurs = owner.toLowerCase() === repository.owner.toLowerCase() && name.toLowerCase() === repository.name.toLowerCase();
  if (isOurs) return;
  const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
  throw new GraphqlError(message, { type: 'NOT_FOUND', path: ['repository'] });
}
