// Owns the reading of a pull request's changes: the list of files, and the diff or, where GitHub refuses it, the files' patches.
import type { TaskItem } from '../../schema/task.ts';
import { GitHubApiError } from '../api.ts';
import { escapeInvisible } from './invisible.ts';
import type { Section, Source, Thread } from './load-texts.ts';

/** The diff, and the list of its files. A longer diff is read from the workspace, where it is checked out. */
const maxDiffLength = 65_536;
const maxListLength = 16_384;

/** Who answers for an item, and when it was written. */
export type Frame = Omit<TaskItem, 'kind' | 'text' | 'notes'>;

/** `frame`: the pull request's author, who answers for the diff. GitHub lists at most 3,000 files. */
export async function loadDiff(thread: Thread, source: Source, frame: Frame, signal: AbortSignal): Promise<Section> {
  const files = await loadFiles(thread, source, signal);
  const whole = await loadWholeDiff(thread, source, signal);
  // 406: more than 300 files or 20,000 lines (G1-24).
  const diff = whole ?? files.map((file) => (file.patch === null ? '' : `--- ${file.name}\n${file.patch}\n`)).join('');
  const list = files.map((file) => `${file.status} ${file.name} +${file.additions} -${file.deletions}`).join('\n');
  const without = files.filter((file) => file.patch === null).length;
  return {
    items: [
      { ...frame, kind: 'files', ...cut(list, maxListLength) },
      { ...frame, kind: 'diff', ...cut(diff, maxDiffLength) },
    ],
    omitted: whole === null && without > 0 ? [`the patches of ${without} files that are binary or too big`] : [],
  };
}

/** Cut at a line, with invisible characters written out. */
function cut(text: string, maxLength: number): Pick<TaskItem, 'text' | 'notes'> {
  if (text.length <= maxLength) return { text: escapeInvisible(text), notes: [] };
  const end = text.lastIndexOf('\n', maxLength);
  const kept = text.slice(0, end > 0 ? end : maxLength);
  return {
    text: escapeInvisible(kept),
    notes: [`cut after ${kept.length} of ${text.length} characters; read the rest in the workspace`],
  };
}

async function loadWholeDiff(thread: Thread, { api, repository }: Source, signal: AbortSignal): Promise<string | null> {
  const parameters = { ...repository, pull_number: thread.number, mediaType: { format: 'diff' } };
  try {
    const { data } = await api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}', parameters, signal);
    // With this media type the answer is text, which the route's type does not know.
    const diff: unknown = data;
    return typeof diff === 'string' ? diff : null;
  } catch (error) {
    if (error instanceof GitHubApiError && [406, 422].includes(error.status)) return null;
    throw error;
  }
}

interface ChangedFile {
  readonly name: string;
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
  readonly patch: string | null;
}

async function loadFiles(thread: Thread, { api, repository }: Source, signal: AbortSignal): Promise<readonly ChangedFile[]> {
  const parameters = { ...repository, pull_number: thread.number };
  const files: ChangedFile[] = [];
  for await (const page of api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', parameters, signal)) {
    files.push(
      ...page.map(({ filename, status, additions, deletions, patch }) => ({
        // A name with a line end in it would write lines of its own into the list (B9).
        name: JSON.stringify(filename).slice(1, -1),
        status,
        additions,
        deletions,
        patch: patch ?? null,
      })),
    );
  }
  return files;
}
