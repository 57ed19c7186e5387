// The input `prompt` when it is a path: read from the base commit through the API, never from what is checked out (threats.md, B8, I3).
import path from 'node:path';
import { type GitHubApi, GitHubApiError, type RepositoryRef } from '../github/api.ts';
import { Harness9Error } from '../schema/error.ts';

export interface PromptSource {
  readonly api: GitHubApi;
  readonly repository: RepositoryRef;
  /** The base commit: what the workflow's owners have merged. */
  readonly commit: string;
}

/** The prompt's text; one that begins with `./` is the path of a file of the base commit (INTERFACE.md). Throws INPUT_INVALID. */
export async function loadPrompt(prompt: string | null, source: PromptSource, signal: AbortSignal): Promise<string | null> {
  if (prompt === null || !prompt.startsWith('./')) return prompt;
  const file = path.posix.normalize(prompt);
  if (file.startsWith('../')) throw unreadable(prompt, 'it leads out of the repository');
  const text = await loadFile(file, source, signal);
  if (text === null) throw unreadable(prompt, `there is no such file on the base commit ${source.commit.slice(0, 7)}`);
  if (text.trim() === '') throw unreadable(prompt, 'the file is empty');
  return text;
}

async function loadFile(file: string, { api, repository, commit }: PromptSource, signal: AbortSignal): Promise<string | null> {
  try {
    const parameters = { ...repository, path: file, ref: commit };
    const { data } = await api.rest('GET /repos/{owner}/{repo}/contents/{path}', parameters, signal);
    if (Array.isArray(data) || data.type !== 'file' || !('content' in data)) return null;
    return Buffer.from(data.content, 'base64').toString('utf8');
  } catch (error) {
    if (error instanceof GitHubApiError && error.status === 404) return null;
    throw error;
  }
}

function unreadable(prompt: string, reason: string): Harness9Error {
  return new Harness9Error({
    code: 'INPUT_INVALID',
    message: `input \`prompt\`: "${prompt}" begins with ./ and is read as a file, but ${reason}`,
    hint: 'Give the path of a file on the base branch, or text that does not begin with ./',
  });
}
