// Owns which commits of a pull request are ours, and which of them is taken back next.
import type { RunPlan } from '../../schema/gate.ts';
import type { RepositoryApi } from '../api.ts';

export interface PullCommit {
  readonly sha: string;
  readonly treeSha: string;
  readonly parents: readonly string[];
  readonly subject: string;
  /** Our account's, by a run. */
  readonly isOurs: boolean;
  /** The commit that this one takes back. */
  readonly undoes: string | null;
}

/** The oldest first, the head last. null: GitHub does not list as far as the head that the plan names. */
export async function loadOwnCommits(
  pull_number: number,
  { head, self }: Pick<RunPlan, 'head' | 'self'>,
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
): Promise<readonly PullCommit[] | null> {
  const found: PullCommit[] = [];
  const pages = api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/commits', { ...repository, pull_number }, signal);
  for await (const page of pages) {
    for (const { sha, author, commit, parents } of page) {
      const authorId = author !== null && 'id' in author ? Number(author.id) : null;
      found.push({
        sha,
        treeSha: commit.tree.sha,
        parents: parents.map((parent) => parent.sha),
        subject: commit.message.split('\n')[0] ?? '',
        isOurs: authorId === self.id && trailerOf(commit.message, 'Harness9-run') !== null,
        undoes: trailerOf(commit.message, 'Harness9-undoes'),
      });
    }
  }
  return found.at(-1)?.sha === head?.sha ? found : null;
}

/** The value of a line in the last paragraph, where GitHub and git have their trailers. */
function trailerOf(message: string, name: string): string | null {
  const last =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  const line = last.split('\n').find((text) => text.startsWith(`${name}: `));
  return line === undefined ? null : line.slice(name.length + 2).trim();
}

/** The newest of ours that neither takes another one back nor is taken back. */
export function findCommitToUndo(commits: readonly PullCommit[]): PullCommit | null {
  const ours = commits.filter(({ isOurs }) => isOurs);
  const undone = new Set(ours.map(({ undoes }) => undoes));
  return ours.findLast(({ sha, undoes }) => undoes === null && !undone.has(sha)) ?? null;
}
