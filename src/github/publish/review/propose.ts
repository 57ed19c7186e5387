// Proposes changes that may not be pushed as one review of suggestions to click, made from what files hold and never from a patch's text.
import type { Change } from '../../../schema/bundle.ts';
import { hashOf } from '../../../schema/canonical-json.ts';
import { messageOf } from '../../../schema/error.ts';
import type { RunPlan } from '../../../schema/gate.ts';
import { isFinished } from '../../../schema/run.ts';
import { isRefusal, type RepositoryApi, repositoryOf } from '../../api.ts';
import { decodeText } from '../../checkout/read-base.ts';
import { loadFile, loadTree } from '../../control/read-tree.ts';
import { hasMarker, type Marker, parseMarker, renderMarked } from '../../marker.ts';
import { loadDiffIndex } from '../../review/load-diff-index.ts';
import { type Edit, type Suggestion, suggestEdits } from '../../review/suggest-edits.ts';
import type { Proposal } from '../delivery.ts';
import type { PublishIo } from '../ports.ts';
import type { Work } from '../without-refused.ts';
import { suggestionBlock } from './render-finding.ts';

/** A suggestion is for one file; more of them are no small change. */
const maxFiles = 10;

/** null: the changes have no such form, or GitHub does not take it; then the diff is for the reply. Rejects on abort only. */
export async function propose({ plan, bundle, io }: Work): Promise<Proposal | null> {
  const pull = pullOf(plan);
  if (pull === null || !isFinished(bundle.result) || bundle.changes.length > maxFiles || !bundle.changes.every(isTextEdit))
    return null;
  try {
    const marker = markerOf(plan, bundle.changes);
    const standing = await findOwn(plan, { pull, marker }, io);
    if (standing !== null) return standing;
    const suggestions = await makeSuggestions(plan, { pull, changes: bundle.changes }, io);
    return suggestions === null ? null : await post(plan, { pull, marker, suggestions }, io);
  } catch (error) {
    io.signal.throwIfAborted();
    io.ports.log(`[publish] the changes are no suggestions: ${messageOf(error)}`);
    return null;
  }
}

/** With what is proposed: a job that is run again has an answer of its own, and it may be another one. */
function markerOf({ trigger, checkoutSha }: RunPlan, changes: readonly Change[]): Marker {
  return { trigger: trigger.id, kind: 'proposal', says: hashOf({ checkoutSha, changes }).slice(0, 12) };
}

/** The pull request whose head the changes are made against; null: nothing is said on it by clicks. */
function pullOf({ thread, head, checkoutSha, inlineComments, comment }: RunPlan): number | null {
  const isWanted = inlineComments === 'suggestions' && comment !== 'none';
  return isWanted && thread?.kind === 'pull_request' && head?.sha === checkoutSha ? thread.number : null;
}

type TextEdit = Extract<Change, { kind: 'write' }>;

/** New files have no lines on the diff, and a click keeps neither modes nor links. */
function isTextEdit(change: Change): change is TextEdit {
  return change.kind === 'write' && !change.isNew && change.mode !== '120000' && change.content.encoding === 'utf-8';
}

async function makeSuggestions(
  plan: RunPlan,
  { pull, changes }: { readonly pull: number; readonly changes: readonly Change[] },
  { ports, signal }: PublishIo,
): Promise<readonly Suggestion[] | null> {
  const place = { api: ports.api, repository: repositoryOf(plan) };
  const [index, edits] = await Promise.all([
    loadDiffIndex(pull, place, signal),
    loadEdits(plan.checkoutSha, changes.filter(isTextEdit), place, signal),
  ]);
  return edits === null ? null : suggestEdits(edits, index);
}

/** null: one of them is more than an edit of a text. */
async function loadEdits(
  sha: string,
  changes: readonly TextEdit[],
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<readonly Edit[] | null> {
  const tree = await loadTree(sha, place, signal);
  const edits = await Promise.all(
    changes.map(async ({ path, mode, content }) => {
      const entry = tree?.get(path);
      const file = entry?.mode === mode ? await loadFile(entry, place, signal) : null;
      const before = file === null ? null : decodeText(file.bytes);
      return before === null ? [] : [{ path, before, after: content.data }];
    }),
  );
  return edits.every((edit) => edit.length === 1) ? edits.flat() : null;
}

/** Of an earlier try of this trigger with the same changes, by author and marker (R4). */
async function findOwn(
  { self, ...plan }: RunPlan,
  { pull, marker }: Omit<Posting, 'suggestions'>,
  { ports, signal }: PublishIo,
): Promise<Proposal | null> {
  const at = { ...repositoryOf(plan), pull_number: pull };
  for await (const page of ports.api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', at, signal)) {
    const own = page.find(
      ({ user, body }) => Number(user?.id) === self.id && hasMarker(body, marker) && parseMarker(body)?.says === marker.says,
    );
    if (own !== undefined) return { url: own.html_url };
  }
  return null;
}

interface Posting {
  readonly pull: number;
  readonly marker: Marker;
  readonly suggestions: readonly Suggestion[];
}

async function post(plan: RunPlan, { pull, marker, suggestions }: Posting, io: PublishIo): Promise<Proposal | null> {
  const { ports, signal } = io;
  const bodies = suggestions.map(({ lines }) => renderMarked(marker, suggestionBlock(lines)));
  // What is covered would be committed at a click, in the place of what stands there.
  if (bodies.some((body) => ports.egress(body) !== body)) return null;
  const parameters = {
    ...repositoryOf(plan),
    pull_number: pull,
    commit_id: plan.checkoutSha,
    event: 'COMMENT' as const,
    body: renderMarked(marker, 'What I propose, to commit at a click; my answer says why.'),
    comments: suggestions.map(({ path, first, last }, index) => ({
      path,
      side: 'RIGHT',
      line: last,
      ...(first === last ? {} : { start_line: first, start_side: 'RIGHT' }),
      body: bodies[index] ?? '',
    })),
  };
  try {
    const { data } = await ports.api.rest('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', parameters, signal);
    return { url: data.html_url };
  } catch (error) {
    // It may be there although its answer was lost.
    if (isRefusal(error)) throw error;
    return findOwn(plan, { pull, marker }, io);
  }
}
