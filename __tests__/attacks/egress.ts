// Everything that left a run, by the way that it took, and the forms of a secret that are looked for in it. Knows the simulator, no product.
import { unzipSync } from 'fflate';
import type { ActionResult } from '../../src/simulator/runner/contract.ts';
import type { Scene } from '../e2e/scene.ts';

/** The ways out, each as text. `model` is what the model was told, without the headers, where the key belongs. */
export async function egressOf(scene: Scene, results: readonly ActionResult[]): Promise<Readonly<Record<string, string>>> {
  const { github, model } = scene;
  const all = (pick: (result: ActionResult) => unknown) => JSON.stringify(results.map(pick));
  return {
    model: JSON.stringify(model.requests.map(({ path, body }) => [path, body])),
    github: JSON.stringify(github.requests.map(({ path, query, body }) => [path, query, body])),
    published: await github.git('log', '--all', '--patch', '--format=%B', '--not', 'main'),
    artifacts: (await artifactsOf(scene)).join('\n'),
    outputs: all(({ outputs, env }) => [outputs, env]),
    summary: all(({ summary }) => summary),
    stderr: all(({ stderr, post }) => [stderr, post?.stderr]),
    stdout: all(({ stdout, post }) => [withoutMasks(stdout), withoutMasks(post?.stdout ?? '')]),
  };
}

/** The bytes of every session artifact's zip, and of what is in it. */
export async function artifactsOf({ github }: Scene): Promise<readonly string[]> {
  const token = github.issueToken('github-actions[bot]');
  const headers = { authorization: `Bearer ${token}` };
  return Promise.all(
    github.snapshot().artifacts.map(async ({ id }) => {
      const url = `${github.apiUrl}/repos/${github.owner}/${github.repo}/actions/artifacts/${id}/zip`;
      const answer = await fetch(url, { headers });
      if (!answer.ok) throw new Error(`artifact ${id} was answered ${answer.status}`);
      const zip = new Uint8Array(await answer.arrayBuffer());
      const files = Object.entries(unzipSync(zip)).map(([name, bytes]) => `${name}\n${Buffer.from(bytes)}`);
      return [Buffer.from(zip).toString('latin1'), ...files].join('\n');
    }),
  );
}

/** The runner must be told a secret to mask it. */
export function withoutMasks(stdout: string): string {
  return stdout.replace(/^::add-mask::.*$/gm, '');
}

/** Plain, backwards, in hex, and in base64 wherever in a text it begins. */
export function formsOf(secret: string): readonly string[] {
  const inBase64 = [0, 1, 2].map((offset) =>
    Buffer.from(`${' '.repeat(offset)}${secret}`)
      .toString('base64')
      // Without what the neighbours decide.
      .slice(offset === 0 ? 0 : 4, -4),
  );
  return [secret, [...secret].reverse().join(''), Buffer.from(secret).toString('hex'), ...inBase64];
}
