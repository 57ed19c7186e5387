/** The operations that the simulated GraphQL API knows, by the names that clients give them. */

import { findAccount } from '../people.ts';
import { nodeId } from '../render/render-account.ts';
import { discussionOperations } from './discussion-operations.ts';
import type { GraphqlOperation } from './operation.ts';
import { refOperations } from './ref-operations.ts';
import { reviewOperations } from './review-operations.ts';
import { subjectOperations } from './subject-operations.ts';
import { threadOperations } from './thread-operations.ts';

// Unlike an author, the viewer that is an app keeps its `[bot]`.
const viewer: GraphqlOperation = (hub, { grant }) => {
  const account = findAccount(hub.state, grant.actor);
  return { viewer: { id: nodeId('User', account?.id ?? 0), login: grant.actor, databaseId: account?.id ?? 0 } };
};

export const operations: Readonly<Record<string, GraphqlOperation>> = {
  Viewer: viewer,
  ...threadOperations,
  ...reviewOperations,
  ...discussionOperations,
  ...subjectOperations,
  ...refOperations,
};
