// What is left of a case on the simulated GitHub, in the words of an assertion. Changes nothing.
import type { Scene } from '../e2e/scene.ts';

/** The names of all branches. */
export function branchesOf({ github }: Scene): readonly string[] {
  return Object.keys(github.snapshot().refs)
    .flatMap((ref) => /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? [])
    .sort();
}

/** The one reply of ours on a thread; throws when there is none or more than one. */
export function onlyReply(scene: Scene, thread: number): string {
  const [reply, ...more] = scene.replies(thread);
  if (reply === undefined || more.length > 0)
    throw new Error(`${more.length === 0 ? 'no' : more.length + 1} replies on #${thread}`);
  return reply;
}

/** A call of the REST API in somebody's name, as they would make it by hand; gives the answer's body. */
export async function restAs(
  { github }: Scene,
  login: string,
  [method, route, body]: readonly [string, string, unknown?],
): Promise<unknown> {
  const response = await fetch(`${github.apiUrl}/repos/${github.owner}/${github.repo}/${route}`, {
    method,
    headers: { authorization: `token ${github.issueToken(login)}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}
