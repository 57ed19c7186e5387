// Owns what is said of the difference between the thread now and what a conversation that goes on remembers of it. Pure.
import { oneLine } from '../schema/one-line.ts';
import type { Task, TaskItem } from '../schema/task.ts';

/** `at`: when it was told its task, ISO. `texts`: whose texts its history shows, as `textsIn` gives them. */
export interface LastRun {
  readonly at: string;
  readonly commit: string;
  readonly texts: ReadonlySet<string>;
}

/** More texts than this are counted, not named. */
const maxNamed = 5;

/** One line for each kind of change, together one section; none where nothing changed. */
export function renderChanges({ items, commit }: Task, lastRun: LastRun | null): readonly string[] {
  if (lastRun === null) return [];
  const written = items.filter(isWritten);
  const since = Date.parse(lastRun.at);
  const edited = written.filter(
    ({ createdAt, editedAt }) => editedAt !== undefined && Date.parse(createdAt) <= since && Date.parse(editedAt) > since,
  );
  const fresh = written.filter(({ createdAt }) => Date.parse(createdAt) > since);
  const gone = goneOf(written, lastRun.texts);
  const lines = [
    commit === undefined || commit === lastRun.commit
      ? ''
      : `- The files stand on commit ${commit}; they stood on ${lastRun.commit}.`,
    describe(fresh.map(nameOf), 'new'),
    describe(edited.map(nameOf), 'edited: what you remember of it may be wrong'),
    describe(gone, 'not there any more, or edited after the request'),
  ].filter((line) => line !== '');
  return lines.length === 0 ? [] : [`Since the last run of this conversation (${oneLine(lastRun.at, 40)}):\n${lines.join('\n')}`];
}

/** What people wrote below the first post. */
function isWritten({ kind, role }: TaskItem): boolean {
  return ['comment', 'review_comment', 'review'].includes(kind) && role !== 'self';
}

function nameOf({ author, createdAt }: Pick<TaskItem, 'author' | 'createdAt'>): string {
  return `${oneLine(author.replaceAll(/[<>]+/g, ' '), 200)}, ${createdAt}`;
}

/** Of the time that is shown now: older texts may have had no room. */
function goneOf(written: readonly TaskItem[], shown: ReadonlySet<string>): readonly string[] {
  const there = new Set(written.map(nameOf));
  const oldest = Math.min(...written.map(({ createdAt }) => Date.parse(createdAt)));
  const timeOf = (name: string) => Date.parse(name.slice(name.lastIndexOf(' ') + 1));
  return [...shown].filter((name) => !there.has(name) && timeOf(name) >= oldest);
}

function describe(names: readonly string[], what: string): string {
  if (names.length === 0) return '';
  const listed = names.length > maxNamed ? `${names.length} texts` : names.map((name) => `the text of ${name}`).join('; ');
  return `- ${names.length === 1 ? 'This is' : 'These are'} ${what}: ${listed}.`;
}

/** A login and a time, and no other word: a text may hold a line that looks like a label of ours. */
const label =
  /^<data-[0-9a-f]+> (?:comment|review comment|review) by ([\w-]{1,60}(?:\[bot\])?), (?:may write here|may not write here|with the account of harness9, but not by it|account deleted), (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)(?: \(.*\))?$/gm;

/** Whose texts, and of when, an earlier prompt of ours shows. */
export function textsIn(prompt: string): readonly string[] {
  return Array.from(prompt.matchAll(label), ([, author, createdAt]) => `${author}, ${createdAt}`);
}
