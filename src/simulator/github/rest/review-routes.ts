/** REST: to be filled. */
import type { Route } from '../http/router.ts';

export const reviewRoutes: readonly Route[] = [];
