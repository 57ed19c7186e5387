/** Starts the simulated GitHub: one repository, one server on loopback. Here its parts meet; nothing here decides what GitHub does. */
import type { Server } from 'node:http';
import { createArtifactPart } from './artifacts/artifact-part.ts';
import { createBlobPart } from './artifacts/blob-part.ts';
import { createLogPart } from './artifacts/log-part.ts';
import { createAttachmentParts } from './attachments/attachment-part.ts';
import type { GitHubOptions, SimulatedGitHub } from './contract.ts';
import { GitRepository } from './git/git-repository.ts';
import { isoSeconds } from './git/parse-object.ts';
import { createGitHttpPart, prepareForHttp } from './git-http-part.ts';
import { createGraphqlPart } from './graphql/graphql-part.ts';
import { createHand } from './hand.ts';
import { createFaults } from './http/faults.ts';
import { createJournal } from './http/journal.ts';
import { createLimits } from './http/limits.ts';
import { listen, serve } from './http/server.ts';
import type { Hub, Urls } from './hub.ts';
import { renderPayload } from './payloads.ts';
import { putAccount } from './people.ts';
import { createRestPart } from './rest/rest-part.ts';
import { takeSnapshot } from './snapshot.ts';
import { createState, type State } from './state.ts';
import { commitToBranch } from './threads/branches.ts';

// git is looked for here and not where the parent looks: the parent's environment takes no part.
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';

/** Starts a GitHub that holds one repository with these files; `close` ends it and removes all it wrote. */
export async function startGitHub(options: GitHubOptions): Promise<SimulatedGitHub> {
  const clock = options.now ?? (() => new Date());
  const now = (): string => isoSeconds(clock());
  const state = openState(options, now());
  const [git, { server, port }] = await Promise.all([
    GitRepository.create(state.repository.defaultBranch, options.searchPath ?? SEARCH_PATH),
    listen(),
  ]);
  const hub: Hub = { state, git, urls: urlsFor(port), now };
  await Promise.all([prepareForHttp(git.directory), commitFirst(hub, options)]);
  const journal = createJournal();
  const faults = createFaults();
  const limits = createLimits(() => Math.floor(clock().getTime() / 1000), options.limits ?? {});
  const parts = [
    createLogPart(hub),
    createGraphqlPart(hub, limits),
    createRestPart(hub, limits),
    createArtifactPart(hub),
    createBlobPart(hub),
    ...createAttachmentParts(hub),
    createGitHttpPart(hub),
  ];
  serve(server, parts, { journal, faults });
  const { urls } = hub;
  return {
    ...createHand(hub),
    apiUrl: urls.api,
    graphqlUrl: urls.graphql,
    serverUrl: urls.server,
    resultsUrl: urls.results,
    owner: state.repository.owner,
    repo: state.repository.name,
    repositoryId: state.repository.id,
    defaultBranch: state.repository.defaultBranch,
    payload: (name, refs = {}) => structuredClone(renderPayload(hub, name, refs)),
    snapshot: () => takeSnapshot(hub),
    requests: journal.entries,
    fail: (rule) => faults.add(rule),
    git: (...args) => runGitFor(hub, args),
    close: () => close(server, git),
  };
}

function openState(options: GitHubOptions, createdAt: string): State {
  const { owner = 'octo-org', repo = 'shop', defaultBranch = 'main' } = options;
  const state = createState({
    owner,
    name: repo,
    formerNames: [],
    defaultBranch,
    createdAt,
    isPrivate: options.private ?? false,
    draftsAllowed: options.draftsAllowed ?? true,
    actionsMayCreatePulls: options.actionsMayCreatePulls ?? true,
    protectedBranches: [...(options.protectedBranches ?? [])],
    protection: options.protection ?? 'ruleset',
    signedBranches: [...(options.signedBranches ?? [])],
  });
  putAccount(state, owner, { permission: 'admin' });
  putAccount(state, 'github-actions[bot]');
  for (const path of Object.keys(options.files).filter((file) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(file))) {
    state.workflows.set(path, { id: state.nextId(), path, createdAt });
  }
  return state;
}

function urlsFor(port: number): Urls {
  const local = `http://127.0.0.1:${port}`;
  return { api: `${local}/api`, graphql: `${local}/api/graphql`, server: `http://github.localhost:${port}`, results: local };
}

async function commitFirst(hub: Hub, options: GitHubOptions): Promise<void> {
  const { defaultBranch, owner } = hub.state.repository;
  await commitToBranch(hub, { branch: defaultBranch, files: options.files, message: 'Initial commit', author: owner });
}

async function runGitFor(hub: Hub, args: readonly string[]): Promise<string> {
  const output = (await hub.git.run({ args })).toString();
  // The command may have moved a ref.
  await hub.git.reloadRefs();
  return output.replace(/\n$/, '');
}

async function close(server: Server, git: GitRepository): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await Promise.all([closed, git.close()]);
}
