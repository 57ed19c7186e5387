// Owns the loading of what can be commented on in a pull request: the lines of its diff, file by file.
import type { RepositoryApi } from '../api.ts';
import { type PatchLines, readPatch } from './read-patch.ts';

/** `why`: no line of it is in the diff, and the reason as a clause. */
export interface FileLines extends PatchLines {
  readonly why: string | null;
}

/** By path, as the head names it. */
export type DiffIndex = ReadonlyMap<string, FileLines>;

/**
 * From the list of files, which GitHub gives of large pull requests too, up to 3,000 (G1-24). Rejects where GitHub does not answer.
 */
export async function loadDiffIndex(pull: number, { api, repository }: RepositoryApi, signal: AbortSignal): Promise<DiffIndex> {
  const index = new Map<string, FileLines>();
  const parameters = { ...repository, pull_number: pull };
  for await (const page of api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', parameters, signal)) {
    for (const { filename, patch, status, changes } of page) {
      const why = patch === undefined ? (status === 'renamed' && changes === 0 ? renamedOnly : tooBig) : null;
      index.set(filename, { ...readPatch(patch ?? ''), why });
    }
  }
  return index;
}

const renamedOnly = 'it is renamed only';
const tooBig = 'it is binary or its diff is too big';
