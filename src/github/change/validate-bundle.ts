// The only door to writes: decides whether a bundle may be published, whatever made it; pure, and never throws (threats.md, L7).
import { type Bundle, bundleSchema, type Change, type Refusal } from '../../schema/bundle.ts';
import { hashOf } from '../../schema/canonical-json.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { refuseReview } from '../review/refuse-review.ts';
import { refuseLink, refusePath } from './change-path.ts';
import { createMergeRules, findUnresolved } from './merge-rules.ts';
import { createAllowedMatcher, createPathMatcher, defaultProtectedPaths, pickCarefulPaths } from './protected-paths.ts';
import { restPath } from './tally.ts';

/** What the redactor finds in a text: a registered secret in some form, or the name of a vendor's pattern. */
export type SecretScan = (text: string) => { readonly exact: boolean; readonly pattern: string | null };

export type Validated = { readonly kind: 'bundle'; readonly bundle: Bundle } | Refusal;

/** Anything between the patches and the reply; beyond it something is wrong with the bundle itself. */
const maxReplyChars = 1024 * 1024;
const maxTitleChars = 256;
/** Of files that are named in a refusal. */
const maxNamed = 20;
/** Turns the order of characters round, so that a reader sees other code than a compiler (B3). */
const bidi = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u;

/**
 * The bundle as it may be published: protected paths moved to `leftOut`, warnings added to `notices`. Or why nothing of it is.
 * `plan` comes from the gate, never from where the bundle comes from.
 */
export function validateBundle(plan: RunPlan, bundle: unknown, scan: SecretScan): Validated {
  const parsed = bundleSchema.safeParse(bundle);
  if (!parsed.success) return refuse('schema', `the bundle is not of version 1: ${parsed.error.issues[0]?.message ?? 'unknown'}`);
  const checked = parsed.data;
  return (
    refuseBinding(plan, checked) ??
    refusePaths(checked.changes) ??
    refuseSizes(plan, checked) ??
    refuseContents(checked.changes) ??
    refuseReview(plan, checked, scan) ??
    refuseSecrets(checked, scan) ??
    refuseUnresolved(plan, toPublishable(plan, checked, scan))
  );
}

function refuse(code: Refusal['code'], message: string): Refusal {
  return { kind: 'refusal', code, message };
}

function refuseBinding(plan: RunPlan, bundle: Bundle): Refusal | undefined {
  if (bundle.planHash !== hashOf(plan)) return refuse('plan_mismatch', 'the bundle was made for another plan than the gate’s');
  if (bundle.baseSha !== plan.checkoutSha) {
    return refuse('plan_mismatch', `the changes are made against ${bundle.baseSha} and not against ${plan.checkoutSha}`);
  }
  return refuseMerge(plan, bundle);
}

function refuseMerge(plan: RunPlan, { mergeParent, merge }: Bundle): Refusal | undefined {
  if (mergeParent === null && merge === undefined) return undefined;
  if (!plan.mergesBase) return refuse('merge_parent', 'the request does not ask for the base to be merged');
  if (mergeParent !== plan.base.sha) {
    return refuse('merge_parent', `the second parent ${mergeParent ?? 'null'} is not the base branch’s head ${plan.base.sha}`);
  }
  if (merge === undefined) return refuse('merge_parent', 'the bundle does not say what the merge of its second parent brought');
  const reasonOf = createMergeRules(plan);
  const refused = merge.paths.find((merged) => reasonOf(merged) !== null);
  return refused === undefined ? undefined : refuse('conflict', `${quote(refused.path)}: ${reasonOf(refused) ?? ''}`);
}

/** A conflict is resolved by what is published of the changes, and not by what is left out of them. */
function refuseUnresolved({ base }: RunPlan, bundle: Bundle): Validated {
  const unresolved = bundle.merge === undefined ? [] : findUnresolved(bundle.merge, bundle.changes);
  if (unresolved.length === 0) return { kind: 'bundle', bundle };
  const named = unresolved.slice(0, maxNamed).map((path) => `\`${quotable(path)}\``);
  const more = unresolved.length > maxNamed ? ` and ${unresolved.length - maxNamed} more` : '';
  return refuse('conflict', `conflicts with \`${base.branch}\` are left in ${named.join(', ')}${more}`);
}

function refusePaths(changes: readonly Change[]): Refusal | undefined {
  const written = new Set<string>();
  const seen = new Set<string>();
  for (const change of changes) {
    const reason = refusePath(change.path);
    if (reason !== null) return refuse('path', `${quote(change.path)}: ${reason}`);
    if (seen.has(change.path)) return refuse('path', `${quote(change.path)} is changed twice`);
    seen.add(change.path);
    if (change.kind === 'write') written.add(change.path);
  }
  const below = [...written].find((path) => parentsOf(path).some((parent) => written.has(parent)));
  if (below !== undefined) return refuse('path', `${quote(below)} lies below a file that is written as well`);
  const gone = new Set([...seen].filter((path) => !written.has(path)));
  const twice = [...gone].find((path) => parentsOf(path).some((parent) => gone.has(parent)));
  return twice === undefined ? undefined : refuse('path', `${quote(twice)} lies below a file that is deleted as well`);
}

function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function refuseSizes(plan: RunPlan, bundle: Bundle): Refusal | undefined {
  const { maxPatchFiles, maxPatchBytes, maxDeletions } = plan.limits;
  const { changes } = bundle;
  const counted = bundle.leftOut.find(({ path }) => path === restPath);
  const rest = counted === undefined ? '' : `; ${counted.reason}`;
  const deletions = changes.filter((change) => change.kind === 'delete').length;
  if (deletions > maxDeletions)
    return refuse('size', `${deletions} files are deleted; the limit (max_deletions) is ${maxDeletions}${rest}`);
  const writes = changes.length - deletions;
  if (writes > maxPatchFiles)
    return refuse('size', `${writes} files are written; the limit (max_patch_files) is ${maxPatchFiles}${rest}`);
  const bytes = changes.reduce((sum, change) => sum + (change.kind === 'write' ? contentBytes(change) : 0), 0);
  if (bytes > maxPatchBytes) {
    return refuse(
      'size',
      `the written files have ${Math.ceil(bytes / 1024)} KB; the limit (max_patch_kb) is ${Math.ceil(maxPatchBytes / 1024)}${rest}`,
    );
  }
  if (bundle.reply.length > maxReplyChars) return refuse('size', `the reply has ${bundle.reply.length} characters`);
  if (bundle.title.length > maxTitleChars) return refuse('size', `the title has ${bundle.title.length} characters`);
  return undefined;
}

type Write = Extract<Change, { kind: 'write' }>;

function contentBytes({ content }: Write): number {
  return content.encoding === 'base64' ? Math.ceil((content.data.length * 3) / 4) : Buffer.byteLength(content.data);
}

function refuseContents(changes: readonly Change[]): Refusal | undefined {
  for (const change of changes) {
    if (change.kind !== 'write') continue;
    const { path, mode, content } = change;
    if (content.encoding === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(content.data)) {
      return refuse('schema', `${quote(path)}: the content is not base64`);
    }
    if (content.encoding === 'utf-8' && !content.data.isWellFormed())
      return refuse('schema', `${quote(path)}: the content is not UTF-8`);
    if (mode !== '120000') continue;
    if (content.encoding !== 'utf-8') return refuse('mode', `${quote(path)}: a link’s text must be UTF-8`);
    const reason = refuseLink(path, content.data);
    if (reason !== null) return refuse('symlink', `${quote(path)}: ${reason}`);
  }
  return undefined;
}

/** A registered secret anywhere in what would be committed. The reply is not refused for one: it is redacted on its way out. */
function refuseSecrets(bundle: Bundle, scan: SecretScan): Refusal | undefined {
  for (const change of bundle.changes) {
    if (scan(change.path).exact) return refuse('secret', 'the name of a file holds a secret of this workflow');
    if (change.kind === 'write' && scan(contentText(change)).exact) {
      return refuse('secret', `${quote(change.path)} holds a secret of this workflow`);
    }
  }
  return undefined;
}

function contentText({ content }: Write): string {
  return content.encoding === 'base64' ? Buffer.from(content.data, 'base64').toString('latin1') : content.data;
}

function toPublishable(plan: RunPlan, bundle: Bundle, scan: SecretScan): Bundle {
  // A plan adds to the list, and takes from it with `!pattern` only: an empty input protects, too.
  const isNamed = createPathMatcher([...defaultProtectedPaths, ...plan.protectedPaths]);
  // What takes the place of a folder takes all that was in it.
  const above = new Set(bundle.changes.filter(({ path }) => isNamed(path)).flatMap(({ path }) => parentsOf(path)));
  const isProtected = (path: string) => isNamed(path) || above.has(path);
  const isAllowed = createAllowedMatcher(plan.allowedPaths);
  const reasonOf = (path: string) => (isProtected(path) ? protectedReason : isAllowed(path) ? null : notAllowedReason);
  const changes = withoutReplaced(bundle.changes.filter(({ path }) => reasonOf(path) === null));
  const leftOut = bundle.changes.flatMap(({ path, patch }) => {
    const reason = reasonOf(path);
    return reason === null ? [] : [{ path, reason, patch }];
  });
  return {
    ...bundle,
    changes,
    leftOut: [...bundle.leftOut, ...leftOut],
    notices: [...bundle.notices, ...changes.flatMap((change) => noticesOf(change, scan)), ...noticeCareful(changes)],
  };
}

const protectedReason = 'the path is protected: a person has to make this change';
const notAllowedReason = 'the path is not among the input `allowed_paths`';

/** A tree with a file or link in a folder's place needs no deletions below it, and GitHub takes none. */
function withoutReplaced(changes: readonly Change[]): readonly Change[] {
  const written = new Set(changes.filter(({ kind }) => kind === 'write').map(({ path }) => path));
  return changes.filter(({ kind, path }) => kind === 'write' || !parentsOf(path).some((parent) => written.has(parent)));
}

function noticesOf(change: Change, scan: SecretScan): string[] {
  if (change.kind !== 'write') return [];
  const added = addedText(change);
  const { pattern } = scan(added);
  const inName = change.isNew ? scan(change.path).pattern : null;
  return [
    ...(inName === null
      ? []
      : [`The name of a new file looks like a secret (${inName}): \`${quotable(change.path)}\`. Check it before you merge.`]),
    ...(pattern === null
      ? []
      : [`\`${quotable(change.path)}\` adds something that looks like a secret (${pattern}): check it before you merge.`]),
    ...(bidi.test(added)
      ? [
          `\`${quotable(change.path)}\` adds characters that turn the direction of text (Trojan Source): check it before you merge.`,
        ]
      : []),
  ];
}

function noticeCareful(changes: readonly Change[]): string[] {
  const careful = pickCarefulPaths(changes.map((change) => change.path));
  if (careful.length === 0) return [];
  return [
    `Look twice at ${careful.map((path) => `\`${quotable(path)}\``).join(', ')}: what stands there runs, or steers what runs.`,
  ];
}

/** The added lines; all of a new file or of one whose diff does not show them. */
function addedText(change: Write): string {
  const added = change.patch.split('\n').filter((line) => line.startsWith('+') && !line.startsWith('+++ '));
  return change.isNew || added.length === 0 ? contentText(change) : added.map((line) => line.slice(1)).join('\n');
}

function quotable(path: string): string {
  return path.replaceAll('`', '´');
}

function quote(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
