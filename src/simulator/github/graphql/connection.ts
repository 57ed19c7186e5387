/** Pages of lists, as GraphQL's connections give them, and what GitHub refuses about them. */
import { type GraphqlCall, GraphqlError, optionalTextOf } from './operation.ts';

const MAX_PAGE = 100;

/**
 * One page of a list by the `first` or `last` that the query's text gives to the field. Without either, and beyond 100, GitHub
 * refuses. Only the field that takes `$after` goes on from there: a query here has one list that is read to its end.
 */
export function connection<T>(call: GraphqlCall, name: string, nodes: readonly T[]) {
  const given = new RegExp(`\\b${name}\\s*\\(([^)]*)\\)`).exec(call.query)?.[1] ?? '';
  const [, end, digits] = /\b(first|last)\s*:\s*(\d+)/.exec(given) ?? [];
  const isAsked = new RegExp(`\\b${name}\\b\\s*[({]`).test(call.query);
  if (digits === undefined && isAsked) {
    throw new GraphqlError(`You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`, {
      type: 'MISSING_PAGINATION_BOUNDARIES',
      path: [],
    });
  }
  const size = Number(digits ?? MAX_PAGE);
  if (size > MAX_PAGE) {
    const message = `Requesting ${size} records on the \`${name}\` connection exceeds the \`${end}\` limit of ${MAX_PAGE} records.`;
    throw new GraphqlError(message, { type: 'EXCESSIVE_PAGINATION', path: [] });
  }
  const after = /\bafter\s*:\s*\$after\b/.test(given) ? optionalTextOf(call, 'after') : null;
  const start = end === 'last' ? Math.max(nodes.length - size, 0) : readCursor(after);
  const stop = Math.min(start + size, nodes.length);
  return {
    totalCount: nodes.length,
    nodes: nodes.slice(start, stop),
    pageInfo: {
      hasNextPage: stop < nodes.length,
      hasPreviousPage: start > 0,
      startCursor: nodes.length === 0 ? null : renderCursor(start),
      endCursor: stop === start ? null : renderCursor(stop),
    },
  };
}

function renderCursor(at: number): string {
  return Buffer.from(`cursor:v2:${at}`).toString('base64');
}

function readCursor(cursor: string | null): number {
  if (cursor === null) return 0;
  const at = /^cursor:v2:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString())?.[1];
  if (at === undefined)
    throw new GraphqlError(`\`${cursor}\` does not appear to be a valid cursor.`, { type: 'INVALID_CURSOR_ARGUMENTS', path: [] });
  return Number(at);
}
