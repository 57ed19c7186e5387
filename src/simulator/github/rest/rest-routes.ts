/** All REST routes. A path that is not here is answered 404 and recorded with `route: null`. */
import type { Route } from '../http/router.ts';
import { appRoutes } from './app-routes.ts';
import { artifactRoutes } from './artifact-routes.ts';
import { checkRoutes } from './check-routes.ts';
import { commentRoutes } from './comment-routes.ts';
import { contentRoutes } from './content-routes.ts';
import { contentWriteRoutes } from './content-write-routes.ts';
import { gitRoutes } from './git-routes.ts';
import { historyRoutes } from './history-routes.ts';
import { issueRoutes } from './issue-routes.ts';
import { mergeRoutes } from './merge-routes.ts';
import { pullRoutes } from './pull-routes.ts';
import { reactionRoutes } from './reaction-routes.ts';
import { refRoutes } from './ref-routes.ts';
import { repositoryRoutes } from './repository-routes.ts';
import { reviewRoutes } from './review-routes.ts';
import { runRoutes } from './run-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { timelineRoutes } from './timeline-routes.ts';

export const restRoutes: readonly Route[] = [
  ...repositoryRoutes,
  ...issueRoutes,
  ...commentRoutes,
  ...reactionRoutes,
  ...timelineRoutes,
  ...pullRoutes,
  ...mergeRoutes,
  ...reviewRoutes,
  ...refRoutes,
  ...gitRoutes,
  ...historyRoutes,
  ...contentRoutes,
  ...checkRoutes,
  ...runRoutes,
  ...artifactRoutes,
  ...appRoutes,
  ...contentWriteRoutes,
  ...searchRoutes,
];
