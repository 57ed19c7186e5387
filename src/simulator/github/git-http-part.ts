/** git over HTTP as a part of the server: tokens here, the protocol by `git http-backend`, and a hook for what a push may not do. */
import { appendFile, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasOneOf, readGrant } from './auth.ts';
import { NO_OBJECT } from './git/git-repository.ts';
import { Refusal, type Reply } from './http/reply.ts';
import type { Part, RawRequest } from './http/server.ts';
import type { Hub } from './hub.ts';
import { repositoryPage } from './render/render-account.ts';
import type { Grant } from './state.ts';
import { recordRefMove } from './threads/branches.ts';

// Any object may be fetched by its sha, and clones may leave contents out, as on GitHub; pull request refs are the server's own.
const CONFIGURATION = `
[http]
	receivepack = true
[uploadpack]
	allowAnySHA1InWant = true
	allowFilter = true
[receive]
	hideRefs = refs/pull
[gc]
	auto = 0
`;

// The texts are GitHub's for a ruleset (GH013) and for a classic rule (GH006). What stands in brackets behind a refused ref is
// git's own "pre-receive hook declined" here, where GitHub gives the reason in few words.
const PRE_RECEIVE = `#!/bin/sh
# Refuses what the API refuses: protected branches, commits without signatures, workflow files without the permission for them.
begin() {
  if [ "$PROTECTION" = classic ]; then
    echo "error: GH006: Protected branch update failed for $1."
    echo ""
  else
    echo "error: GH013: Repository rule violations found for $1."
    echo "Review all repository rules at $RULES_URL?ref=$(echo "$1" | sed 's:/:%2F:g')"
    echo ""
  fi
}
while read -r before after ref; do
  for protected in $PROTECTED_REFS; do
    if [ "$ref" = "$protected" ]; then
      begin "$ref"
      echo "- Changes must be made through a pull request."
      exit 1
    fi
  done
  if [ "$after" = ${NO_OBJECT} ]; then continue; fi
  for protected in $SIGNED_REFS; do
    if [ "$ref" != "$protected" ]; then continue; fi
    for commit in $(git rev-list "$after" --not --branches); do
      case " $SIGNED_COMMITS " in *" $commit "*) continue ;; esac
      begin "$ref"
      echo "- Commits must have verified signatures."
      echo "  Found 1 violation:"
      echo ""
      echo "  $commit"
      exit 1
    done
  done
  if [ "$WORKFLOWS_ALLOWED" = yes ]; then continue; fi
  file=$(git log --format= --name-only --diff-merges=combined "$after" --not --branches -- .github/workflows | head -n 1)
  if [ -n "$file" ]; then
    echo "refusing to allow a GitHub App to create or update workflow \\\`$file\\\` without \\\`workflows\\\` permission"
    exit 1
  fi
done
`;

/** Prepares the bare repository for clients over HTTP. */
export async function prepareForHttp(directory: string): Promise<void> {
  const hook = join(directory, 'hooks', 'pre-receive');
  await Promise.all([appendFile(join(directory, 'config'), CONFIGURATION), writeFile(hook, PRE_RECEIVE)]);
  await chmod(hook, 0o755);
}

/** Answers for every path that no other part answers for. */
export function createGitHttpPart(hub: Hub): Part {
  return {
    kind: 'git',
    prefix: '/',
    strip: '',
    answer: async (request) => {
      const inner = innerPath(hub, request.path);
      if (inner === undefined) throw new Refusal(404, 'Not Found');
      const isPush = inner === '/git-receive-pack' || request.query.get('service') === 'git-receive-pack';
      const { grant, refusal } = admit(hub, request, isPush);
      const route = `/{owner}/{repo}.git${inner}`;
      if (refusal !== undefined) return { route, grant, reply: refusal };
      const before = new Map(hub.git.refs);
      const reply = await runBackend(hub, request, inner, grant);
      if (inner === '/git-receive-pack') await recordPush(hub, before, grant?.actor ?? '');
      return { route, grant, reply };
    },
  };
}

function innerPath(hub: Hub, path: string): string | undefined {
  const { owner, name } = hub.state.repository;
  const inner = /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack|git-receive-pack|HEAD))$/.exec(path);
  const isOurs = inner?.[1]?.toLowerCase() === owner.toLowerCase() && inner[2]?.toLowerCase() === name.toLowerCase();
  return isOurs ? inner?.[3] : undefined;
}

// Who asks, and if git may not go on: 401 makes it ask for a password, 403 ends it with the text.
function admit(hub: Hub, request: RawRequest, isPush: boolean): { grant?: Grant; refusal?: Reply } {
  const { owner, name, isPrivate } = hub.state.repository;
  const challenge = {
    status: 401,
    body: 'Invalid username or token.\n',
    headers: { 'content-type': 'text/plain', 'www-authenticate': 'Basic realm="GitHub"' },
  };
  let grant: Grant | undefined;
  try {
    grant = readGrant(hub, request.headers.authorization);
  } catch (error) {
    if (error instanceof Refusal) return { refusal: challenge };
    throw error;
  }
  if (grant === undefined) return isPush || isPrivate ? { refusal: challenge } : {};
  const isAllowed = hasOneOf(grant, [isPush ? 'contents:write' : 'contents:read']) || !(isPush || isPrivate);
  if (isAllowed) return { grant };
  const body = `Permission to ${owner}/${name}.git denied to ${grant.actor}.\n`;
  return { grant, refusal: { status: 403, body, headers: { 'content-type': 'text/plain' } } };
}

async function runBackend(hub: Hub, request: RawRequest, inner: string, grant: Grant | undefined): Promise<Reply> {
  const text = (name: string): string => String(request.headers[name] ?? '');
  const env = {
    GIT_PROJECT_ROOT: hub.git.directory,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: inner,
    REQUEST_METHOD: request.method,
    QUERY_STRING: request.search,
    CONTENT_TYPE: text('content-type'),
    CONTENT_LENGTH: String(request.body.length),
    HTTP_CONTENT_ENCODING: text('content-encoding'),
    HTTP_GIT_PROTOCOL: text('git-protocol'),
    GIT_PROTOCOL: text('git-protocol'),
    ...(grant === undefined ? {} : { REMOTE_USER: grant.actor }),
    ...ruleVariables(hub),
    WORKFLOWS_ALLOWED: grant?.permissions.workflows === 'write' ? 'yes' : 'no',
  };
  return parseCgi(await hub.git.run({ args: ['http-backend'], input: request.body, env }));
}

// What the hook is to know of the rules.
function ruleVariables(hub: Hub): Readonly<Record<string, string>> {
  const { protectedBranches, signedBranches, protection } = hub.state.repository;
  const refs = (branches: readonly string[]): string => branches.map((branch) => `refs/heads/${branch}`).join(' ');
  return {
    PROTECTION: protection,
    PROTECTED_REFS: refs(protectedBranches),
    SIGNED_REFS: refs(signedBranches),
    SIGNED_COMMITS: [...hub.state.signedCommits].join(' '),
    RULES_URL: `${repositoryPage(hub)}/rules`,
  };
}

function parseCgi(output: Buffer): Reply {
  const end = output.indexOf('\r\n\r\n');
  if (end < 0) return { status: 500, body: 'git http-backend gave no headers\n' };
  const pairs = output
    .toString('latin1', 0, end)
    .split('\r\n')
    .map((line): [string, string] => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]);
  const { status = '200', ...headers } = Object.fromEntries(pairs);
  return { status: Number.parseInt(status, 10), body: output.subarray(end + 4), headers };
}

async function recordPush(hub: Hub, before: ReadonlyMap<string, string>, actor: string): Promise<void> {
  await hub.git.reloadRefs();
  const names = new Set([...before.keys(), ...hub.git.refs.keys()]);
  for (const ref of names) {
    const move = { actor, ref, before: before.get(ref) ?? NO_OBJECT, after: hub.git.refs.get(ref) ?? NO_OBJECT };
    await recordRefMove(hub, move);
  }
}
