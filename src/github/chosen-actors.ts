// Owns whose comments belong to the context, by the inputs include_comments_by_actor and exclude_comments_by_actor; the gate and the task agree by it. Pure.
import type { RunPlan } from '../schema/gate.ts';

/** Stands for every bot. */
const anyBot = '*[bot]';

/** Whether a comment by `login` belongs to the context. Who is excluded is not taken in by `include`; a login has no capitals that count. */
export function isChosen(login: string, { include, exclude }: RunPlan['actors']): boolean {
  const isNamed = (names: readonly string[]) => names.some((name) => matches(login.toLowerCase(), name.toLowerCase()));
  return !isNamed(exclude) && (include.length === 0 || isNamed(include));
}

function matches(login: string, name: string): boolean {
  return name === anyBot ? login.endsWith('[bot]') : login === name.replace(/^@/, '');
}
