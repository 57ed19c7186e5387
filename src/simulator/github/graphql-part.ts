/** The GraphQL API as a part of the server. It knows no query yet and says so, as GraphQL says it: 200 with `errors`. */
import { readGrant } from './auth.ts';
import { Refusal } from './http/reply.ts';
import type { Part } from './http/server.ts';
import type { Hub } from './hub.ts';

export function createGraphqlPart(hub: Hub): Part {
  return {
    kind: 'graphql',
    prefix: '/api/graphql',
    strip: '/api',
    answer: async (request) => {
      const grant = readGrant(hub, request.headers.authorization);
      if (grant === undefined) throw new Refusal(401, 'Requires authentication');
      const body: unknown = JSON.parse(request.body.toString());
      const errors = [{ type: 'NOT_IMPLEMENTED', message: 'The simulated GitHub does not know this query.' }];
      return { route: '/graphql', grant, body, reply: { status: 200, body: { errors } } };
    },
  };
}
