// GitHub refuses a whole push for one path in it; then the rest goes without the paths that it may be about (G1-15).
import type { Bundle, Change } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { isRefusal } from '../api.ts';
import { createPathMatcher, defaultProtectedPaths } from '../change/protected-paths.ts';
import type { PublishIo } from './ports.ts';

/** What is to be delivered, and by whose means. */
export interface Work {
  readonly plan: RunPlan;
  readonly bundle: Bundle;
  readonly io: PublishIo;
}

/** The changes that are pushed, and those that are not. */
export interface Part {
  readonly changes: readonly Change[];
  readonly leftOut: Bundle['leftOut'];
}

/** Without Markdown. */
export const whyNoWorkflows =
  'workflow files need a token with the permission "workflows" (an app’s or a person’s: see the inputs app_id and github_token)';

/**
 * `push` with all changes; when GitHub refuses them, again without the files, links and folders that steer workflows and reviews: the
 * default token may not push the first, and a plan may let both through. Rejects with the first refusal where nothing can be set aside.
 */
export async function withoutRefused<T>({ bundle, io }: Work, push: (part: Part) => Promise<T>): Promise<T> {
  const { changes, leftOut, merge } = bundle;
  try {
    return await push({ changes, leftOut });
  } catch (error) {
    io.signal.throwIfAborted();
    // Half a merge would take back what the other half is about.
    if (merge !== undefined) throw error;
    const isGuarded = createPathMatcher(defaultProtectedPaths);
    const guarded = changes.filter(({ path }) => isGuarded(path));
    if (guarded.length === 0 || guarded.length === changes.length || !isRefusal(error)) throw error;
    const reason = `GitHub refused it (${error.answer}): ${whyNoWorkflows}`;
    return push({
      changes: changes.filter((change) => !guarded.includes(change)),
      leftOut: [...leftOut, ...guarded.map(({ path, patch }) => ({ path, reason, patch }))],
    });
  }
}
