// The repository's template for pull requests, from the base commit and never from a head; and what people made of it since.
import type { RunPlan } from '../../schema/gate.ts';
import { isRefusal, repositoryOf } from '../api.ts';
import type { PublishIo } from './ports.ts';

/** Where GitHub looks, in its order; upper and lower case are one. */
const folders = ['.github', '', 'docs'];
const fileName = /^pull_request_template(?:\.(?:md|txt))?$/i;
/** A longer one is a page of its own, and the body has to have room for what was done. */
const maxTemplateChars = 16_000;

/** Stands between our part of a description and the repository's, which is the people's from then on. */
const divider = '<!-- harness9: above is written anew with each result; below is the template, which stays as you leave it -->';

/** The template, or '' where there is none, or where it cannot be read: it is worth no failure. */
export async function loadTemplate(plan: RunPlan, io: PublishIo): Promise<string> {
  try {
    const root = await listFolder(plan, plan.base.sha, io);
    for (const folder of folders) {
      const sha = folder === '' ? plan.base.sha : root.find(({ path, type }) => type === 'tree' && path === folder)?.sha;
      const entries = folder === '' ? root : sha === undefined ? [] : await listFolder(plan, sha, io);
      const file = entries.find(({ path, type }) => type === 'blob' && fileName.test(path));
      if (file !== undefined) return (await readBlob(plan, file.sha, io)).slice(0, maxTemplateChars);
    }
    return '';
  } catch (error) {
    io.signal.throwIfAborted();
    if (!isRefusal(error)) io.ports.log('[publish] the template for pull requests could not be read');
    return '';
  }
}

interface Entry {
  readonly path: string;
  readonly type: string;
  readonly sha: string;
}

async function listFolder(plan: RunPlan, sha: string, { ports, signal }: PublishIo): Promise<readonly Entry[]> {
  const parameters = { ...repositoryOf(plan), tree_sha: sha };
  const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', parameters, signal);
  return data.tree;
}

async function readBlob(plan: RunPlan, sha: string, { ports, signal }: PublishIo): Promise<string> {
  const parameters = { ...repositoryOf(plan), file_sha: sha };
  const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', parameters, signal);
  return Buffer.from(data.content, 'base64').toString('utf8').replace(/\r\n/g, '\n').trim();
}

/** Our part of a description with the template under it. */
export function withTemplate(body: string, template: string): string {
  return template === '' ? body : `${body}\n\n${divider}\n\n${template}`;
}

/** What stands under our part in a description that is there; '' where nothing does. */
export function templateIn(body: string): string {
  const at = body.indexOf(divider);
  return at < 0 ? '' : body.slice(at + divider.length).trim();
}

/** Characters that our part may not have. */
export function roomOf(template: string): number {
  return template === '' ? 0 : template.length + divider.length + 4;
}
