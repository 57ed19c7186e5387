/** REST: to be filled. */
import type { Route } from '../http/router.ts';

export const historyRoutes: readonly Route[] = [];
