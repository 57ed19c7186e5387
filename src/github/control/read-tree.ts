// Reads what a commit holds by GitHub's API: all paths of its tree at once, and a file of it.
import { z } from 'zod';
import type { RepositoryApi } from '../api.ts';
import type { PatchSide } from '../change/render-patch.ts';

const entrySchema = z.object({ mode: z.enum(['100644', '100755', '120000', '160000']), sha: z.string() });
export type TreeEntry = Readonly<z.infer<typeof entrySchema>>;
/** By path; folders are not in it. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** null: GitHub cut the list, which it does beyond 100,000 entries or 7 MB. */
export async function loadTree(sha: string, { api, repository }: RepositoryApi, signal: AbortSignal): Promise<Tree | null> {
  const parameters = { ...repository, tree_sha: sha, recursive: '1' };
  const { data } = await api.rest('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', parameters, signal);
  if (data.truncated) return null;
  return new Map(
    data.tree.flatMap(({ path, mode, sha: blob }) => {
      const entry = entrySchema.safeParse({ mode, sha: blob });
      return entry.success && path !== undefined ? [[path, entry.data] as const] : [];
    }),
  );
}

/** A file's bytes; null for what is not there and for a sub-module. */
export async function loadFile(
  entry: TreeEntry | undefined,
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
): Promise<PatchSide | null> {
  if (entry === undefined || entry.mode === '160000') return null;
  const parameters = { ...repository, file_sha: entry.sha };
  const { data } = await api.rest('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', parameters, signal);
  return { mode: entry.mode, bytes: Buffer.from(data.content, data.encoding === 'base64' ? 'base64' : 'utf8') };
}
