// Owns the reading of a pull request's changes: the list of files, and the diff or, where GitHub refuses it, the files' patches.
import type { TaskItem } from '../../schema/task.ts';
import { GitHubApiError } from '../api.ts';
import { escapeInvisible, quotePath } from './invisible.ts';
import { type Frame, refused, type Section, type Source, type Thread, whyRefused } from './section.ts';

/** The diff, and the list of its files. A longer diff is read from the workspace, where it is checked out. */
const maxDiffLength = 65_536;
const maxListLength = 16_384;

/** GitHub refuses the diff of more files than this (G1-24). */
const maxDiffFiles = 300;

/** `frame`: the pull request's author, who answers for the diff. `changedFiles`: how many there are; GitHub lists at most 3,000. */
export async function loadDiff(
  { thread, frame, changedFiles }: { readonly thread: Thread; readonly frame: Frame; readonly changedFiles: number },
  source: Source,
  signal: AbortSignal,
): Promise<{ readonly files: Section; readonly diff: Section }> {
  const whole = changedFiles > maxDiffFiles ? null : await loadWholeDiff(thread, source, signal);
  const files = await loadFiles(thread, source, signal).catch(whyRefused);
  if (typeof files === 'string')
    return { files: refused('the list of changed files', files), diff: ofWhole(whole, frame, files) };
  const diff = whole ?? files.map((file) => (file.patch === null ? '' : `--- ${file.name}\n${file.patch}\n`)).join('');
  const list = files.map((file) => `${file.status} ${file.name} +${file.additions} -${file.deletions}`).join('\n');
  const without = files.filter((file) => file.patch === null).length;
  const unlisted = changedFiles - files.length;
  return {
    files: {
      groups: [[{ ...frame, kind: 'files', ...cut(list, maxListLength) }]],
      omitted: unlisted > 0 ? [`the names and patches of ${unlisted} of ${changedFiles} changed files`] : [],
    },
    diff: {
      ...ofText(diff, frame),
      omitted: whole === null && without > 0 ? [`the patches of ${without} files that are binary or too big`] : [],
    },
  };
}

function ofText(diff: string, frame: Frame): Pick<Section, 'groups'> {
  return { groups: diff === '' ? [] : [[{ ...frame, kind: 'diff', ...cut(diff, maxDiffLength) }]] };
}

/** Without the files' patches to fall back on. */
function ofWhole(whole: string | null, frame: Frame, why: string): Section {
  return whole === null ? refused('the diff', why) : { ...ofText(whole, frame), omitted: [] };
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

/** null where GitHub refuses it, for whatever reason: more than 300 files or 20,000 lines (406, G1-24), too much work at the moment. */
async function loadWholeDiff(thread: Thread, { api, repository }: Source, signal: AbortSignal): Promise<string | null> {
  const parameters = { ...repository, pull_number: thread.number, mediaType: { format: 'diff' } };
  try {
    const { data } = await api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}', parameters, signal);
    // With this media type the answer is text, which the route's type does not know.
    const diff: unknown = data;
    return typeof diff === 'string' ? diff : null;
  } catch (error) {
    if (error instanceof GitHubApiError) return null;
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

/** As many as there is room for, and no page more. */
async function loadFiles(thread: Thread, { api, repository }: Source, signal: AbortSignal): Promise<readonly ChangedFile[]> {
  const parameters = { ...repository, pull_number: thread.number };
  const files: ChangedFile[] = [];
  let listed = 0;
  let patched = 0;
  for await (const page of api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', parameters, signal)) {
    files.push(
      ...page.map(({ filename, status, additions, deletions, patch }) => ({
        name: quotePath(filename),
        status,
        additions,
        deletions,
        patch: patch ?? null,
      })),
    );
    for (const file of files.slice(-page.length)) {
      listed += file.name.length;
      patched += file.patch?.length ?? 0;
    }
    if (listed > maxListLength && patched > maxDiffLength) break;
  }
  return files;
}
