// Finds what the agent changed by comparing the workspace with the manifest, and turns it into data; starts nothing, and never reads the workspace's git (E1–E5).
import type { Bundle, Change, FileMode } from '../../schema/bundle.ts';
import { type BaseReader, blobSha, decodeText } from '../checkout/read-base.ts';
import { type Attributes, refuseByAttributes, toRepositoryForm } from './attributes.ts';
import { refuseLink, refusePath } from './change-path.ts';
import { findNewFiles } from './find-new-files.ts';
import type { Manifest, TrackedFile } from './manifest.ts';
import { type PatchSide, renderPatch } from './render-patch.ts';
import { createWorkspaceFiles, isSameStamp, rawHash, type Stamp, type WorkspaceFiles } from './workspace-file.ts';

export interface CollectRequest {
  readonly before: Manifest;
  readonly workDir: string;
  readonly base: BaseReader;
  /** A bigger file is left out with the reason. */
  readonly maxFileBytes: number;
}

export interface Collected {
  readonly changes: readonly Change[];
  readonly leftOut: Bundle['leftOut'];
}

/** What one path came to: a side to publish, gone, or left out with the reason; undefined: nobody's change. */
type Finding =
  | { readonly kind: 'write'; readonly path: string; readonly side: PatchSide }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'left_out'; readonly path: string; readonly reason: string };

interface Pass {
  readonly request: CollectRequest;
  readonly files: WorkspaceFiles;
  /** Contents of the commit for the tracked files that a look could not tell to be unchanged. */
  readonly stored: ReadonlyMap<string, Buffer>;
}

/** To be called when the sandbox is dead: nothing may change the workspace any more. */
export async function collectChanges(request: CollectRequest, signal: AbortSignal): Promise<Collected> {
  const files = createWorkspaceFiles(request.workDir);
  const suspects = findSuspects(request.before, files, signal);
  const stored = await request.base.readBlobs(
    suspects.map(({ file }) => file.sha),
    signal,
  );
  const pass: Pass = { request, files, stored };
  const findings: Finding[] = [];
  for (const suspect of suspects) {
    signal.throwIfAborted();
    const finding = await examineTracked(pass, suspect);
    if (finding !== undefined) findings.push(finding);
  }
  findings.push(...(await examineNew(pass, signal)));
  findings.sort((a, b) => (a.path < b.path ? -1 : 1));
  return toCollected(pass, findings);
}

interface Suspect {
  readonly path: string;
  readonly file: TrackedFile;
  readonly now: Stamp | null;
}

/** Tracked paths that may have changed. Gitlinks are never touched (G1-36). */
function findSuspects(before: Manifest, files: WorkspaceFiles, signal: AbortSignal): Suspect[] {
  const suspects: Suspect[] = [];
  for (const [path, file] of before.tracked) {
    signal.throwIfAborted();
    if (file.mode === '160000') continue;
    const now = files.stampOf(path);
    if (!isUnchanged(file.stamp, now, before)) suspects.push({ path, file, now });
  }
  return suspects;
}

function isUnchanged(then: Stamp | null, now: Stamp | null, before: Manifest): boolean {
  if (then === null || now === null) return then === now;
  return isSameStamp(then, now) && now.ctimeMs < before.untrustedFromMs;
}

async function examineTracked(pass: Pass, { path, file, now }: Suspect): Promise<Finding | undefined> {
  if (now === null) return file.stamp === null ? undefined : { kind: 'delete', path };
  const mode = modeOf(now, file);
  const read = await readPublishable(pass, path, now);
  if (typeof read === 'string') return { kind: 'left_out', path, reason: read };
  if (mode === file.mode && isSameContent(pass, path, file, read)) return undefined;
  if (file.dirtyHash !== null && rawHash(read) === file.dirtyHash && mode === file.mode) return undefined;
  return toWrite(pass, path, mode, read);
}

/** Exec bits count when they differ from what they were on this disk: some file systems have none. */
function modeOf(now: Stamp, file: TrackedFile | undefined): FileMode {
  if (now.kind === 'link') return '120000';
  const isStoredExecutable = file?.mode === '100755';
  const hasSwitched = file?.stamp?.kind === 'file' && file.stamp.isExecutable !== now.isExecutable;
  const isExecutable = file?.stamp?.kind === 'file' ? isStoredExecutable !== hasSwitched : now.isExecutable;
  return isExecutable ? '100755' : '100644';
}

function isSameContent(pass: Pass, path: string, file: TrackedFile, bytes: Buffer): boolean {
  if (blobSha(bytes) === file.sha) return true;
  return blobSha(inRepositoryForm(pass, path, bytes)) === file.sha;
}

function inRepositoryForm(pass: Pass, path: string, bytes: Buffer): Buffer {
  const { before } = pass.request;
  return toRepositoryForm(bytes, before.attributeRules.attributesOf(path), storedBytes(pass, path));
}

function storedBytes(pass: Pass, path: string): Buffer | undefined {
  return pass.stored.get(pass.request.before.tracked.get(path)?.sha ?? '');
}

/** The bytes, or why they are not published. */
async function readPublishable(pass: Pass, path: string, now: Stamp): Promise<Buffer | string> {
  if (now.kind === 'other') return 'it is no regular file (a pipe, a socket or a device)';
  if (now.size > pass.request.maxFileBytes) {
    return `it has ${kilobytes(now.size)} KB; the limit (max_patch_kb) is ${kilobytes(pass.request.maxFileBytes)} KB`;
  }
  const bytes = await pass.files.read(path, pass.request.maxFileBytes).catch(() => null);
  return bytes ?? 'it could not be read';
}

function toWrite(pass: Pass, path: string, mode: FileMode, bytes: Buffer): Finding {
  const refusedPath = refusePath(path);
  if (refusedPath !== null) return { kind: 'left_out', path, reason: refusedPath };
  if (mode === '120000') {
    const refusedLink = refuseLink(path, decodeText(bytes) ?? '');
    return refusedLink === null
      ? { kind: 'write', path, side: { mode, bytes } }
      : { kind: 'left_out', path, reason: refusedLink };
  }
  const attributes: Attributes = pass.request.before.attributeRules.attributesOf(path);
  const refused = refuseByAttributes(attributes);
  if (refused !== null) return { kind: 'left_out', path, reason: refused };
  return { kind: 'write', path, side: { mode, bytes: inRepositoryForm(pass, path, bytes) } };
}

async function examineNew(pass: Pass, signal: AbortSignal): Promise<Finding[]> {
  const { before, workDir } = pass.request;
  const found = await findNewFiles({ workDir, tracked: before.tracked, baseRules: before.ignoreRules }, signal);
  const findings: Finding[] = found.nestedRepositories
    .filter((path) => !before.nestedRepositories.has(path) && before.tracked.get(path)?.mode !== '160000')
    .map((path) => ({ kind: 'left_out', path, reason: 'it is a git repository of its own' }));
  if (found.isCut) findings.push({ kind: 'left_out', path: '…', reason: 'there are too many new files to look at all of them' });
  for (const path of found.paths) {
    signal.throwIfAborted();
    const finding = await examineNewFile(pass, path);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

async function examineNewFile(pass: Pass, path: string): Promise<Finding | undefined> {
  const refused = refusePath(path);
  if (refused !== null) return { kind: 'left_out', path, reason: refused };
  const now = pass.files.stampOf(path);
  if (now === null) return undefined;
  const known = pass.request.before.untracked.get(path);
  if (known !== undefined && isUnchanged(known.stamp, now, pass.request.before)) return undefined;
  const read = await readPublishable(pass, path, now);
  if (typeof read === 'string') return { kind: 'left_out', path, reason: read };
  if (known !== undefined && rawHash(read) === known.hash) return undefined;
  return toWrite(pass, path, modeOf(now, undefined), read);
}

function toCollected(pass: Pass, findings: readonly Finding[]): Collected {
  const changes = findings.flatMap((finding): Change[] => {
    if (finding.kind === 'left_out') return [];
    const before = storedSide(pass, finding.path);
    if (finding.kind === 'delete')
      return [{ kind: 'delete', path: finding.path, patch: renderPatch(finding.path, before, null) }];
    const { path, side } = finding;
    const isNew = !pass.request.before.tracked.has(path);
    return [
      { kind: 'write', path, isNew, mode: side.mode, content: contentOf(side.bytes), patch: renderPatch(path, before, side) },
    ];
  });
  const leftOut = findings.flatMap((finding) =>
    finding.kind === 'left_out' ? [{ path: printable(finding.path), reason: finding.reason, patch: '' }] : [],
  );
  return { changes, leftOut };
}

function storedSide(pass: Pass, path: string): PatchSide | null {
  const file = pass.request.before.tracked.get(path);
  if (file === undefined) return null;
  const mode = file.mode === '120000' || file.mode === '100755' ? file.mode : '100644';
  // What is too big to be read is shown as empty; the diff is for people only.
  return { mode, bytes: storedBytes(pass, path) ?? Buffer.alloc(0) };
}

function contentOf(bytes: Buffer): { encoding: 'utf-8' | 'base64'; data: string } {
  const text = decodeText(bytes);
  return text === null ? { encoding: 'base64', data: bytes.toString('base64') } : { encoding: 'utf-8', data: text };
}

function printable(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1024);
}
