// The workflows to copy (.github/examples/workflows) as data: what starts which of their jobs, and the wish that a job comes to in a scene.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { parse } from 'yaml';
import { z } from 'zod';
import { realPayload } from './real-payload.ts';
import type { RunWish, Scene } from './scene.ts';
import { withInternet } from './step-preload.ts';

const folder = path.join(import.meta.dirname, '../../.github/examples/workflows');
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const stepSchema = z.object({
  id: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  env: z.record(z.string(), text).default({}),
  with: z.record(z.string(), text).default({}),
});
export type Step = z.infer<typeof stepSchema>;

const jobSchema = z.object({
  if: z.string().optional(),
  /** Another workflow, which the job calls instead of having steps. */
  uses: z.string().optional(),
  'timeout-minutes': z.number().optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
  concurrency: z.object({ group: z.string(), 'cancel-in-progress': z.boolean(), queue: z.string().optional() }).optional(),
  with: z.record(z.string(), text).default({}),
  steps: z.array(stepSchema).default([]),
});
export type Job = z.infer<typeof jobSchema>;

const onSchema = z.record(
  z.string(),
  z
    .looseObject({ types: z.array(z.string()).optional(), workflows: z.array(z.string()).optional() })
    .or(z.array(z.unknown()))
    .nullable(),
);

const workflowSchema = z.strictObject({
  name: z.string(),
  on: onSchema,
  permissions: z.strictObject({}),
  jobs: z.record(z.string(), jobSchema),
});

export interface Workflow extends z.infer<typeof workflowSchema> {
  readonly source: string;
}

/** Names without `.yml`, sorted. */
export const workflowNames: readonly string[] = readdirSync(folder)
  .map((file) => file.replace(/\.yml$/, ''))
  .sort();

export function loadWorkflow(name: string): Workflow {
  const source = readFileSync(path.join(folder, `${name}.yml`), 'utf8');
  return { ...workflowSchema.parse(parse(source)), source };
}

export function jobOf(name: string, id: string): Job {
  const job = loadWorkflow(name).jobs[id];
  if (job === undefined) throw new Error(`${name}.yml has no job ${id}`);
  return job;
}

/** Something that happened: the event's name and what GitHub sends of it. */
export interface Happening {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The published example of the event with `simulated` in its place: what GitHub sends beyond what we read is there, too. */
export function happening(name: string, simulated: Readonly<Record<string, unknown>>): Happening {
  return { name, payload: realPayload(name, simulated) };
}

const namedSchema = z.object({ workflow: z.object({ name: z.string() }) });

/** `file/job` of everything to copy that this starts, as GitHub decides it: by `on`, then by the job's `if`. */
export function startedBy(happened: Happening): readonly string[] {
  return workflowNames.flatMap((file) => {
    const { on, jobs } = loadWorkflow(file);
    if (!isMeant(on[happened.name], happened)) return [];
    return Object.entries(jobs).flatMap(([id, job]) => (holds(job.if, happened) ? [`${file}/${id}`] : []));
  });
}

function isMeant(trigger: Workflow['on'][string] | undefined, { payload }: Happening): boolean {
  if (trigger === undefined) return false;
  if (trigger === null || Array.isArray(trigger)) return true;
  const { types, workflows } = trigger;
  if (types !== undefined && !types.includes(String(payload.action))) return false;
  return workflows === undefined || workflows.includes(namedSchema.parse(payload).workflow.name);
}

function holds(condition: string | undefined, { name, payload }: Happening): boolean {
  if (condition === undefined) return true;
  const value = evaluate(condition, { github: githubOf(name, payload) });
  return value instanceof data.BooleanData && value.value;
}

/** The group of a job's runs. */
export function groupOf(job: Job, { name, payload }: Happening): string {
  return (job.concurrency?.group ?? '').replace(/\$\{\{(.*?)\}\}/g, (_all, expression: string) =>
    evaluate(expression, { github: githubOf(name, payload) }).coerceString(),
  );
}

const repositorySchema = z.object({ repository: z.object({ full_name: z.string() }).optional() });

function githubOf(name: string, payload: Readonly<Record<string, unknown>>) {
  return { event_name: name, event: payload, repository: repositorySchema.parse(payload).repository?.full_name };
}

/** The value of an expression where the contexts are these. */
function evaluate(expression: string, contexts: Readonly<Record<string, unknown>>): data.ExpressionData {
  const pairs = Object.entries(contexts).map(([key, value]) => ({ key, value: JSON.parse(JSON.stringify(value), data.reviver) }));
  const { tokens } = new Lexer(expression.replace(/^\s*\$\{\{|\}\}\s*$/g, '')).lex();
  return new Evaluator(new Parser(tokens, Object.keys(contexts), []).parse(), new data.Dictionary(...pairs)).evaluate();
}

/** The environment of a later step, where the outputs of ours are these; null where its condition keeps it from running. */
export function environmentOf(
  step: Step,
  {
    id,
    outputs,
    happened,
  }: { readonly id: string; readonly outputs: Readonly<Record<string, string>>; readonly happened: Happening },
): Readonly<Record<string, string>> | null {
  const contexts = { github: { ...githubOf(happened.name, happened.payload), token: 'the job’s' }, steps: { [id]: { outputs } } };
  const condition = step.if === undefined ? null : evaluate(step.if, contexts);
  if (condition instanceof data.BooleanData && !condition.value) return null;
  return Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, evaluate(value, contexts).coerceString()]));
}

/** The key that a workflow's secret holds. */
export const keyOfTheSecret = 'key-of-the-secret-0123456789';

/**
 * The wish that a job comes to: its permissions, its checkout, and the inputs as they are written. `inputs` are those of a caller, for a
 * workflow that is called.
 */
export function wishOf(
  [file, id]: readonly [string, string],
  scene: Scene,
  inputs: Readonly<Record<string, string>> = {},
): Pick<RunWish, 'inputs' | 'onlyInputs' | 'permissions' | 'persistCredentials' | 'job' | 'workflowPath' | 'options'> {
  const job = jobOf(file, id);
  const [checkout, ours] = job.steps;
  if (checkout === undefined || ours === undefined) throw new Error(`${file}.yml has no two steps in ${id}`);
  const written = (value: string) =>
    value
      .replace(/\$\{\{ secrets\.\w+ \}\}/, keyOfTheSecret)
      .replace(/\$\{\{ inputs\.(\w+) \}\}/, (_all, name: string) => inputs[name] ?? '');
  return {
    inputs: Object.fromEntries(Object.entries(ours.with).map(([name, value]) => [name, written(value)])),
    onlyInputs: true,
    permissions: Object.fromEntries(
      Object.entries(job.permissions).map(([scope, level]) => [scope.replaceAll('-', '_'), level] as const),
    ),
    persistCredentials: checkout.with['persist-credentials'] !== 'false',
    job: id,
    workflowPath: `.github/workflows/${file}.yml`,
    options: {
      env: withInternet({ 'https://api.openai.com': scene.model.url, 'https://api.anthropic.com': scene.model.url }),
    },
  };
}
