// The workflow's own words for titles and messages, with what a run puts into them; the words are trusted, what is put in is not. Pure.
import type { RunPlan } from '../../schema/gate.ts';
import { openingOf } from './closing-words.ts';

/** A reference right after a closing word of the template, such as `fix: {{title}}`, would close what nobody meant (H3). */
const reference = /^\s*(?:[\w.-]+\/[\w.-]+)?(?:#\d+|gh-\d+|https?:\/\/)/i;

/** `{{title}}`, `{{kind}}` (issue, pr, discussion, run) and `{{number}}` (the thread's, else the run's) in a template. `title` is sanitized. */
export function fillTemplate(template: string, title: string, { thread, run }: Pick<RunPlan, 'thread' | 'run'>): string {
  const kind = thread?.kind === 'pull_request' ? 'pr' : (thread?.kind ?? 'run');
  const values: Readonly<Record<string, string>> = { kind, number: String(thread?.number ?? run.id) };
  return template.replace(/\{\{\s*(title|kind|number)\s*\}\}/g, (_, name: string, offset: number) => {
    if (name !== 'title') return values[name] ?? '';
    const isClosing = openingOf(template.slice(0, offset)) !== '' && reference.test(title);
    return isClosing ? `issue ${title}` : title;
  });
}
