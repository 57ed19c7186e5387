// Finds what the agent changed by comparing the workspace with the manifest, and turns it into data; starts nothing, and never reads the workspace's git (E1–E5).
import type { Bundle, Change, FileMode } from '../../schema/bundle.ts';
import { type BaseReader, blobSha, contentOf, decodeText } from '../checkout/read-base.ts';
import { refuseByAttributes, toRepositoryForm } from './attributes.ts';
import { printablePath, refuseLink, refusePath } from './change-path.ts';
import { findNewFiles } from './find-new-files.ts';
import type { Manifest, TrackedFile } from './manifest.ts';
import { type PatchSide, renderPatch } from './render-patch.ts';
import { nothingAside, repositoryAt, type SetAside, stillAside } from './set-aside.ts';
import { describeSubmodule, refuseSubmodule } from './submodule.ts';
import { type ChangeLimits, createTally, type Finding, restPath, type Tally } from './tally.ts';
import { createBreath, createWorkspaceFiles, isSameStamp, rawHash, type Stamp, type WorkspaceFiles } from './workspace-file.ts';

export interface CollectRequest {
  readonly before: Manifest;
  readonly workDir: string;
  /** The reader from before the agent; it is renewed here. */
  readonly base: BaseReader;
  /** A file beyond `maxPatchBytes` is left out with the reason; of a change beyond a limit, the rest is only counted. */
  readonly limits: ChangeLimits;
  /** What is no part of the change though it was written. */
  readonly aside?: SetAside;
}

export interface Collected {
  readonly changes: readonly Change[];
  readonly leftOut: Bundle['leftOut'];
}

/** What came of a run that could change nothing; there is nothing to measure then, before or after. */
export const nothingCollected: Collected = { changes: [], leftOut: [] };

interface Pass {
  readonly request: CollectRequest;
  readonly files: WorkspaceFiles;
  readonly tally: Tally;
  readonly aside: SetAside;
}

/** Far more than reading the contents of one change takes; a pipe among the objects would be waited for without end. */
const readTimeoutMs = 20_000;

/**
 * What is published is collected when the sandbox is dead: nothing may change the workspace any more. Never rejects for the size of the
 * change.
 */
export async function collectChanges(request: CollectRequest, signal: AbortSignal): Promise<Collected> {
  const aside = await stillAside(request.aside ?? nothingAside, request, signal);
  const pass: Pass = { request, files: createWorkspaceFiles(request.workDir), tally: createTally(request.limits), aside };
  await examineAllTracked(pass, signal);
  await examineAllNew(pass, signal);
  const findings = pass.tally.findings();
  return withAside(toCollected(request.before, findings, await readStored(request, findings, signal)), aside);
}

/** What was set aside is what it was before, in its place among the paths. */
function withAside({ changes, leftOut }: Collected, aside: SetAside): Collected {
  const before = [...aside.values()];
  return {
    changes: inOrder([...changes, ...before.flatMap(({ change }) => change ?? [])]),
    leftOut: inOrder([...leftOut, ...before.flatMap((one) => one.leftOut ?? [])]),
  };
}

/** By path; what is only counted stays last. */
function inOrder<T extends { readonly path: string }>(found: readonly T[]): readonly T[] {
  const rank = ({ path }: T): number => (path === restPath ? 1 : 0);
  return found.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

/** Contents of the commit for what is published. The agent may have taken them away: then the diffs show no old side. */
async function readStored(
  { base, before }: CollectRequest,
  findings: readonly Finding[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Buffer>> {
  const names = findings.flatMap(({ kind, path }) => (kind === 'left_out' ? [] : [before.tracked.get(path)?.sha ?? '']));
  const wanted = names.filter((name) => name !== '');
  if (wanted.length === 0) return new Map();
  try {
    const renewed = await base.renew();
    return await renewed.readBlobs(wanted, AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]));
  } catch {
    signal.throwIfAborted();
    return new Map();
  }
}

/** The tracked paths that a look cannot tell to be unchanged. */
async function examineAllTracked(pass: Pass, signal: AbortSignal): Promise<void> {
  const { before, workDir } = pass.request;
  const breathe = createBreath(signal);
  for (const [path, file] of before.tracked) {
    await breathe();
    if (pass.aside.has(path)) continue;
    const finding = file.mode === '160000' ? examineSubmodule(workDir, path, file) : examineTracked(pass, path, file);
    if (finding !== undefined) pass.tally.add(finding);
  }
}

/** A submodule is never part of a change (G1-36), but what became of it is said. */
function examineSubmodule(workDir: string, path: string, file: TrackedFile): Finding | undefined {
  const now = describeSubmodule(workDir, path);
  return now === file.submodule ? undefined : leaveOut(path, refuseSubmodule(now));
}

function isUnchanged(then: Stamp | null, now: Stamp | null, before: Manifest): boolean {
  if (then === null || now === null) return then === now;
  return isSameStamp(then, now) && now.ctimeMs < before.untrustedFromMs;
}

function examineTracked(pass: Pass, path: string, file: TrackedFile): Finding | undefined {
  const now = file.rawPath === null ? pass.files.stampOf(path) : pass.files.stampOfRaw(file.rawPath);
  if (isUnchanged(file.stamp, now, pass.request.before)) return undefined;
  if (now === null) return toDelete(path);
  if (file.rawPath !== null) {
    const isSame = file.stamp !== null && isSameStamp(file.stamp, now);
    return isSame ? undefined : leaveOut(path, refusePath(path) ?? 'the path is not UTF-8');
  }
  if (!pass.tally.mayRead()) return undefined;
  const mode = modeOf(now, file);
  const read = readPublishable(pass, path, now);
  if (typeof read === 'string') return leaveOut(path, read);
  if (mode === file.mode && (isSameContent(pass, path, file, read) || rawHash(read) === file.dirtyHash)) return undefined;
  return toWrite(pass, path, mode, read);
}

function leaveOut(path: string, reason: string): Finding {
  return { kind: 'left_out', path, reason };
}

function toDelete(path: string): Finding {
  const refused = refusePath(path);
  return refused === null ? { kind: 'delete', path } : leaveOut(path, refused);
}

/** Exec bits count when they differ from what they were on this disk: some file systems have none. */
function modeOf(now: Stamp, file: TrackedFile | undefined): FileMode {
  if (now.kind === 'link') return '120000';
  // `core.symlinks=false`: on this disk a link is a file with its target, before and after.
  if (file?.mode === '120000' && file.stamp?.kind === 'file') return '120000';
  const isStoredExecutable = file?.mode === '100755';
  const hasSwitched = file?.stamp?.kind === 'file' && file.stamp.isExecutable !== now.isExecutable;
  const isExecutable = file?.stamp?.kind === 'file' ? isStoredExecutable !== hasSwitched : now.isExecutable;
  return isExecutable ? '100755' : '100644';
}

/** What the commit has decides nothing here: were it stored with CRLF, its bytes would be the ones on disk. */
function isSameContent(pass: Pass, path: string, file: TrackedFile, bytes: Buffer): boolean {
  if (blobSha(bytes) === file.sha) return true;
  const attributes = pass.request.before.attributeRules.attributesOf(path);
  return blobSha(toRepositoryForm(bytes, attributes, undefined)) === file.sha;
}

/** The bytes, or why they are not published. */
function readPublishable(pass: Pass, path: string, now: Stamp): Buffer | string {
  if (now.kind === 'other') return 'it is no regular file (a pipe, a socket or a device)';
  const { maxPatchBytes } = pass.request.limits;
  if (now.size > maxPatchBytes) {
    const refused = refuseByAttributes(pass.request.before.attributeRules.attributesOf(path));
    // A higher limit would not help.
    if (refused !== null) return refused;
    return `it has ${kilobytes(now.size)} KB; the limit (max_patch_kb) is ${kilobytes(maxPatchBytes)} KB`;
  }
  return pass.files.read(path, maxPatchBytes) ?? 'it could not be read';
}

function toWrite(pass: Pass, path: string, mode: FileMode, bytes: Buffer): Finding {
  const refused =
    refusePath(path) ??
    (mode === '120000'
      ? refuseLink(path, decodeText(bytes) ?? '')
      : refuseByAttributes(pass.request.before.attributeRules.attributesOf(path)));
  return refused === null ? { kind: 'write', path, side: { mode, bytes } } : leaveOut(path, refused);
}

async function examineAllNew(pass: Pass, signal: AbortSignal): Promise<void> {
  const { before, workDir } = pass.request;
  const found = await findNewFiles({ workDir, tracked: before.tracked, baseRules: before.ignoreRules }, signal);
  for (const path of found.nestedRepositories) {
    const isKnown = before.nestedRepositories.has(path) || pass.aside.has(repositoryAt(path));
    if (!isKnown) pass.tally.add(leaveOut(path, 'it is a git repository of its own'));
  }
  if (found.isCut) pass.tally.add(leaveOut('…', 'there are too many new files to look at all of them'));
  const breathe = createBreath(signal);
  for (const path of found.paths) {
    await breathe();
    if (pass.aside.has(path)) continue;
    const finding = examineNew(pass, path);
    if (finding !== undefined) pass.tally.add(finding);
  }
}

function examineNew(pass: Pass, path: string): Finding | undefined {
  const now = pass.files.stampOf(path);
  const known = pass.request.before.untracked.get(path);
  if (known !== undefined && isUnchanged(known.stamp, now, pass.request.before)) return undefined;
  const refused = refusePath(path);
  if (refused !== null) return leaveOut(path, refused);
  if (now === null || !pass.tally.mayRead()) return undefined;
  const read = readPublishable(pass, path, now);
  if (typeof read === 'string') return leaveOut(path, read);
  if (known !== undefined && rawHash(read) === known.hash) return undefined;
  return toWrite(pass, path, modeOf(now, undefined), read);
}

function toCollected(before: Manifest, findings: readonly Finding[], stored: ReadonlyMap<string, Buffer>): Collected {
  const count = findings.filter(({ kind }) => kind !== 'left_out').length;
  const changes = findings.flatMap((finding): Change[] => {
    if (finding.kind === 'left_out') return [];
    const { path } = finding;
    const old = sideBefore(before, path, stored);
    if (finding.kind === 'delete') return [{ kind: 'delete', path, patch: renderPatch(path, old, null, count) }];
    const side = inRepositoryForm(before, path, finding.side, old?.bytes);
    return [
      {
        kind: 'write',
        path,
        isNew: old === null,
        mode: side.mode,
        content: contentOf(side.bytes),
        patch: renderPatch(path, old, side, count),
      },
    ];
  });
  const leftOut = findings.flatMap((finding) =>
    finding.kind === 'left_out' ? [{ path: printablePath(finding.path), reason: finding.reason, patch: '' }] : [],
  );
  return { changes, leftOut };
}

function inRepositoryForm(before: Manifest, path: string, { mode, bytes }: PatchSide, stored: Buffer | undefined): PatchSide {
  if (mode === '120000') return { mode, bytes };
  return { mode, bytes: toRepositoryForm(bytes, before.attributeRules.attributesOf(path), stored) };
}

function sideBefore(before: Manifest, path: string, stored: ReadonlyMap<string, Buffer>): PatchSide | null {
  const file = before.tracked.get(path);
  if (file === undefined) return null;
  const mode = file.mode === '120000' || file.mode === '100755' ? file.mode : '100644';
  // What is too big to be read is shown as empty; the diff is for people only.
  return { mode, bytes: stored.get(file.sha) ?? Buffer.alloc(0) };
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1024);
}
