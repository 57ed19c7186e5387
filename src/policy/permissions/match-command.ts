// Whether a pattern is about a command: surely, as an `allow` needs it, or possibly, as a `deny` and an `ask` do. Pure.
import type { CommandPattern } from './command-pattern.ts';
import type { CommandStep, ShellAssignment, ShellWord } from './shell/step.ts';
import { isHarmless } from './shell/variables.ts';
import { canBeginWith, isLiteral, matchesAllFrom, matchesGlob, type TextGlob } from './text-glob.ts';

/** Whether the pattern is about the command whatever the words turn out to be that are not known yet. */
export function surelyMatches(pattern: CommandPattern, { forms, assignments, isPlain }: CommandStep): boolean {
  // With a star in its name, a pattern means programs by how they are called, not what the shell or another program makes of them.
  if (!isPlain && !isLiteral(pattern.words[0] ?? [''])) return false;
  const isGiven = assignments.every((one) => isHarmless(one) || pattern.assignments.some((text) => text === spelled(one)));
  const isWhole = pattern.assignments.every((text) => assignments.some((one) => text === spelled(one)));
  return isGiven && isWhole && forms.some((form) => form.isExact && wordsSurelyMatch(pattern, form.words));
}

function spelled({ name, value }: ShellAssignment): string | undefined {
  return value === undefined ? undefined : `${name}=${value}`;
}

function wordsSurelyMatch({ words: patterns, hasRest }: CommandPattern, words: readonly ShellWord[]): boolean {
  if (words.length < patterns.length || (words.length > patterns.length && !hasRest)) return false;
  return patterns.every((pattern, index) => {
    const word = words[index];
    if (word === undefined || word.isMany) return false;
    return word.value === undefined ? index > 0 && matchesAllFrom(pattern, word.prefix) : matchesGlob(pattern, word.value);
  });
}

/** Whether words that `possiblyMatches` goes by are known, all that the pattern has. */
export function isCertain(pattern: CommandPattern, { forms }: CommandStep): boolean {
  return forms.some(({ words }) => {
    const known = words.slice(0, pattern.words.length).every(({ value }) => value !== undefined);
    return known && wordsPossiblyMatch(pattern, words);
  });
}

/** Whether the pattern can be about the command, in any way of reading it. */
export function possiblyMatches(pattern: CommandPattern, { forms, assignments }: CommandStep): boolean {
  const isGiven = pattern.assignments.every((text) =>
    assignments.some(({ name, value }) => (value === undefined ? text.startsWith(`${name}=`) : text === `${name}=${value}`)),
  );
  return isGiven && forms.some(({ words }) => wordsPossiblyMatch(pattern, words));
}

function wordsPossiblyMatch({ words: patterns, hasRest }: CommandPattern, words: readonly ShellWord[]): boolean {
  // How many words of the pattern can be used up by the words so far.
  let reached = new Set([0]);
  for (const [index, word] of words.entries()) {
    if (hasRest && reached.has(patterns.length)) return true;
    const next = new Set<number>();
    for (const used of reached) addReached({ patterns, word, isName: index === 0, used }, next);
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(patterns.length);
}

interface Reach {
  readonly patterns: readonly TextGlob[];
  readonly word: ShellWord;
  readonly isName: boolean;
  readonly used: number;
}

function addReached({ patterns, word, isName, used }: Reach, next: Set<number>): void {
  if (word.isMany) next.add(used);
  for (let at = used; at < patterns.length; at += 1) {
    const pattern = patterns[at] ?? [''];
    // Of several words only the first surely begins as it is written.
    const isFirst = at === used || !word.isSplit;
    if (isFirst && !(isName ? mayBeNamed(pattern, word) : mayBe(pattern, word))) return;
    next.add(at + 1);
    if (!word.isMany) return;
  }
}

function mayBe(pattern: TextGlob, { value, prefix }: ShellWord): boolean {
  return value === undefined ? canBeginWith(pattern, prefix) : matchesGlob(pattern, value);
}

/** A program is the same one in whatever way it is called: `/usr/bin/git` is `git`, `x/../deploy.sh` is `./deploy.sh`, and `GIT` may be. */
function mayBeNamed(pattern: TextGlob, { value }: ShellWord): boolean {
  if (value === undefined) return true;
  const glob = pattern.map((piece) => piece.toLowerCase());
  const name = value.toLowerCase();
  if (!glob.some((piece) => piece.includes('/'))) return matchesGlob(glob, fileName(name));
  return matchesGlob(glob, name) || (name.includes('/') && matchesGlob(lastPart(glob), fileName(name)));
}

function fileName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function lastPart(pattern: TextGlob): TextGlob {
  const at = pattern.findLastIndex((piece) => piece.includes('/'));
  return [fileName(pattern[at] ?? ''), ...pattern.slice(at + 1)];
}
