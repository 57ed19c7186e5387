// Each arrow's plain data can be a file: real values survive JSON and their schema unchanged, and another version's are refused.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { makeBundle } from '../../src/action/make-bundle.ts';
import { composeEngine } from '../../src/compose/engine.ts';
import { loadTask } from '../../src/github/context/load-task.ts';
import { decideGate } from '../../src/github/event/decide-gate.ts';
import { loadFacts } from '../../src/github/event/load-facts.ts';
import { parseEvent } from '../../src/github/event/parse-event.ts';
import { announce } from '../../src/github/publish/announce.ts';
import { publish } from '../../src/github/publish/publish.ts';
import { sealEnvelope } from '../../src/memory/envelope.ts';
import { journalStart } from '../../src/memory/history.ts';
import { openJournal, readJournal, sessionBodyOf } from '../../src/memory/journal.ts';
import { createTodoStore } from '../../src/planning/todo-store.ts';
import { createPrices } from '../../src/provider/prices.ts';
import { createScriptedProvider } from '../../src/provider/scripted/scripted-provider.ts';
import { announcementSchema } from '../../src/schema/announcement.ts';
import { type Bundle, bundleSchema } from '../../src/schema/bundle.ts';
import { type GateDecision, gateFactsSchema, type RunPlan, runPlanSchema, skipSchema } from '../../src/schema/gate.ts';
import { type GitHubEvent, gitHubEventSchema } from '../../src/schema/github-event.ts';
import { outcomeSchema } from '../../src/schema/outcome.ts';
import type { Provenance } from '../../src/schema/session.ts';
import { sessionEnvelopeSchema } from '../../src/schema/session.ts';
import type { GateSettings } from '../../src/schema/settings.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { taskSchema } from '../../src/schema/task.ts';
import { echo, registryOf } from '../engine/ports.ts';
import { changesAfter } from '../github/change/changes-after.ts';
import { run, settingsWith } from '../github/event/gate-fixtures.ts';
import { createRepository } from '../github/git-workspace.ts';
import { never, startStage } from '../github/simulated.ts';

type Stage = Awaited<ReturnType<typeof startStage>>;
const files = { 'README.md': 'hello\n', 'old.txt': 'old\n' };
const key = new Uint8Array(32).fill(7);

let stage: Stage;
let folder: string;
let seen: Readonly<Record<keyof typeof schemas, readonly unknown[]>>;

const schemas = {
  GitHubEvent: gitHubEventSchema,
  GateFacts: gateFactsSchema,
  RunPlan: runPlanSchema,
  Skip: skipSchema,
  Announcement: announcementSchema,
  Task: taskSchema,
  Bundle: bundleSchema,
  Outcome: outcomeSchema,
  SessionEnvelope: sessionEnvelopeSchema,
} satisfies Readonly<Record<string, z.ZodType>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'h9-arrows-'));
  stage = await startStage({ files });
  seen = await walk();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe.each(Object.entries(schemas))('every %s', (name, schema: z.ZodType) => {
  test('survives JSON and its schema unchanged', () => {
    const values = Object.entries(seen).find(([arrow]) => arrow === name)?.[1] ?? [];
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      const sent: unknown = JSON.parse(JSON.stringify(value));
      expect(sent).toEqual(value);
      // Strictly: a field that the schema does not know would be dropped on the way.
      expect(schema.parse(sent)).toStrictEqual(sent);
    }
  });

  test.each([[0], [2], ['1'], [null], [undefined]])('of the version %p is refused', (version) => {
    const [value] = Object.entries(seen).find(([arrow]) => arrow === name)?.[1] ?? [];
    const sent = JSON.parse(JSON.stringify(value));
    expect(schema.safeParse({ ...sent, version: 1 }).success).toBe(true);
    expect(schema.safeParse({ ...sent, version }).success).toBe(false);
  });
});

/** The way of the data, on a simulated GitHub, for several events; everything that went over an arrow. */
async function walk() {
  const events = await eventsOf();
  const facts = [];
  const decisions: GateDecision[] = [];
  for (const [event, changes] of events) {
    const settings = settingsWith(changes);
    const loaded = await loadFacts(event, settings, { api: stage.api, now: stage.now }, never);
    facts.push(loaded);
    decisions.push(decideGate(event, loaded, settings, run));
  }
  const plans = decisions.flatMap((decision) => (decision.kind === 'run' ? [decision.plan] : []));
  const skips = decisions.flatMap((decision) => (decision.kind === 'skip' ? [decision.skip] : []));
  const ports = { api: stage.api, egress: (text: string) => text, clock: systemClock, log: () => undefined };
  const tasks = [];
  const works = [];
  for (const plan of plans) {
    const announcement = await announce(plan, ports, never);
    tasks.push(await loadTask(plan, { ...ports, hosts: stage.hosts, fetch: globalThis.fetch }, never));
    const { bundle, envelope } = await workOn(plan);
    const outcome = await publish(plan, bundle, announcement, { ports, signal: never });
    works.push({ announcement, bundle, envelope, outcome });
  }
  return {
    GitHubEvent: events.map(([event]) => event),
    GateFacts: facts,
    RunPlan: plans,
    Skip: skips,
    Announcement: works.map(({ announcement }) => announcement),
    Task: tasks,
    Bundle: works.map(({ bundle }) => bundle),
    Outcome: works.map(({ outcome }) => outcome),
    SessionEnvelope: works.map(({ envelope }) => envelope),
  };
}

/** An event of each kind, a second request beside an open pull request of ours, and some that start nothing. */
async function eventsOf(): Promise<readonly (readonly [GitHubEvent, Partial<GateSettings>])[]> {
  const { hub } = stage;
  const issue = hub.openIssue({ author: 'mona', title: 'Totals are off', body: 'By one.' });
  const labelled = hub.openIssue({ author: 'eve', title: 'Totals are off again', labels: ['harness9'] });
  const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'A note', files: { 'NOTE.md': 'hello\n' } });
  const fork = await hub.openPull({ author: 'eve', head: 'patch', fork: 'eve/shop', title: 'Mine', files: { 'a.txt': 'a\n' } });
  const review = await hub.reviewComment({
    author: 'mona',
    pull: pull.number,
    body: '@harness9 why? --max-turns 7',
    path: 'NOTE.md',
    line: 1,
  });
  const submitted = hub.review({ author: 'mona', pull: pull.number, body: '@harness9 is this right?', state: 'COMMENTED' });
  const place = { workflowPath: '.github/workflows/ci.yml', event: 'pull_request', headBranch: 'feature' };
  const started = hub.startRun({ ...place, headSha: await hub.git('rev-parse', 'feature'), actor: 'mona' });
  hub.finishRun(started.id, 'failure');
  // A schedule names nobody: the runner does.
  const origin = { actor: { login: 'mona', id: 1 } };
  const parse = (name: string, refs: Parameters<typeof hub.payload>[1]) => parseEvent(name, hub.payload(name, refs), origin);
  const prompt = { prompt: 'Look around.' };
  return [
    [stage.mention(issue.number), {}],
    [parse('issues', { issue: labelled.number, label: 'harness9', sender: 'mona' }), {}],
    [stage.mention(pull.number), {}],
    [stage.mention(fork.number), {}],
    [parse('pull_request_review_comment', { comment: review.id }), {}],
    [parse('workflow_dispatch', { sender: 'mona' }), prompt],
    [parse('schedule', { sender: 'mona' }), prompt],
    [stage.mention(issue.number, '@harness9 me too', 'eve'), {}],
    [stage.mention(issue.number, 'nothing for anybody'), {}],
    [parse('push', { sender: 'mona' }), prompt],
    [parse('repository_dispatch', { sender: 'mona' }), prompt],
    [parse('pull_request_review', { review: submitted.id }), {}],
    [parse('pull_request', { pull: fork.number }), prompt],
    [parse('pull_request_target', { pull: pull.number }), prompt],
    ...endedChecks(parse('workflow_run', { run: started.id })),
    ...discussions(),
    [parseEvent('watch', hub.payload('push', {})), {}],
    [stage.mention(issue.number), { maxRunsPerThread: 0 }],
  ];
}

/** A check as a run of a workflow, and as the suite of an app that passed. */
function endedChecks(event: GitHubEvent): readonly (readonly [GitHubEvent, Partial<GateSettings>])[] {
  if (event.kind !== 'workflow_run') throw new Error(`no run of a workflow: ${event.kind}`);
  return [
    [event, {}],
    [{ ...event, kind: 'check_suite', check: { ...event.check, conclusion: 'success' } }, {}],
  ];
}

/** A discussion and a comment in it, by somebody who may not ask. */
function discussions(): readonly (readonly [GitHubEvent, Partial<GateSettings>])[] {
  const { repository, sender } = stage.hub.payload('push', { sender: 'eve' });
  const text = { body: '@harness9 why?', created_at: '2026-01-02T03:04:05Z' };
  const discussion = { ...text, number: 90, title: 'Ideas', node_id: 'D_1' };
  const comment = { ...text, id: 7, node_id: 'DC_7', parent_id: null };
  return [
    [parseEvent('discussion', { action: 'created', discussion, repository, sender }), {}],
    [parseEvent('discussion_comment', { action: 'created', comment, discussion, repository, sender }), {}],
  ];
}

/** A run of the engine with a call of a tool that is not there, on a workspace with every kind of change. */
async function workOn(plan: RunPlan): Promise<{ readonly bundle: Bundle; readonly envelope: unknown }> {
  const name = path.join(folder, plan.trigger.id);
  const start = journalStart(
    { kind: 'fresh', notice: null },
    { newId: 's1', threadKey: plan.threadKey, trust: plan.trust, provenance: provenanceOf(plan) },
  );
  const journal = await openJournal(name, { ...start, now: () => new Date(), key });
  const script = {
    turns: [
      {
        text: 'Looking.',
        calls: [
          { name: 'echo', arguments: { n: 1 } },
          { name: 'nothing', arguments: {} },
        ],
      },
      { text: 'Done.' },
    ],
  };
  const engine = composeEngine({
    provider: createScriptedProvider(script),
    servingOrigin: () => ({ provider: 'scripted', endpoint: '', model: 'script' }),
    prices: createPrices(systemClock.now),
    registry: registryOf({ echo }),
    workDir: folder,
    promptBuilder: { build: () => 'You are a test.' },
    session: journal,
    todoStore: createTodoStore(),
    planMode: 'default',
    limits: { maxTurns: 5, timeoutMs: 0, maxTokensTotal: null, maxCostUsd: null },
    world: { clock: systemClock },
    log: () => undefined,
  });
  const result = await engine.run('Mend it.');
  const place = createRepository(files);
  const collected = await changesAfter(place, () => {
    place.write('README.md', 'hello you\n');
    place.write('bytes.bin', Buffer.from([0, 255, 1]));
    place.git('rm', '--quiet', 'old.txt');
  });
  place.remove();
  const session = { journal, resumed: false, notice: null, quote: null, lastRun: null };
  const level = { level: 'process', launcher: [], notice: 'A notice.' } as const;
  const bundle = makeBundle(plan, {
    result,
    session,
    tools: { level, commands: [{ command: 'npm test', exitCode: 1 }] },
    collected,
    merge: null,
    found: { review: null, rerun: null },
    notices: [],
  });
  const content = await readJournal(name, key);
  const body = content === null ? null : sessionBodyOf(content, new Date().toISOString());
  if (body === null) throw new Error('the journal is empty');
  const { bytes } = sealEnvelope(body, { mac: key, encryption: null });
  return { bundle, envelope: JSON.parse(Buffer.from(bytes).toString()) };
}

function provenanceOf({ repository, run: at, event, checkoutSha }: RunPlan): Provenance {
  return {
    repositoryId: repository.id,
    repository: `${repository.owner}/${repository.name}`,
    workflowPath: at.workflowPath,
    runId: at.id,
    runAttempt: at.attempt,
    event: event.kind,
    headSha: checkoutSha,
  };
}

test('the walk met what the arrows can carry', () => {
  const kinds = (values: readonly unknown[], field: string) => [...new Set(values.map((value) => Object(value)[field]))].sort();
  expect(kinds(seen.GitHubEvent, 'kind')).toEqual(
    [
      ...z
        .string()
        .array()
        .parse(gitHubEventSchema.options.map(({ shape }) => shape.kind.value)),
    ].sort(),
  );
  expect(kinds(seen.RunPlan, 'trust')).toEqual(['mixed', 'trusted', 'untrusted']);
  expect(kinds(seen.RunPlan, 'delivery')).toEqual(['pull_request', 'push_to_head', 'reply']);
  expect(kinds(seen.Skip, 'reason')).toEqual([
    'fork',
    'no_mention',
    'no_permission',
    'no_task',
    'thread_limit',
    'unsupported_event',
  ]);
});
