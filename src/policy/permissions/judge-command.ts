// Rules about the steps of a command line: the first that one may be about, and the first that no `allow` covers. Reads no text.
import type { CommandPattern } from './command-pattern.ts';
import { isExact, patternFrom, spells } from './command-pattern.ts';
import { isCertain, possiblyMatches, surelyMatches } from './match-command.ts';
import { type PathSubject, possiblyMatchesPath, surelyMatchesPath } from './path-subject.ts';
import { isAboutTool, type Rule } from './rule.ts';
import { type CommandStep, type FileStep, type Step, stepsIn } from './shell/step.ts';
import { isHarmless, isOwnName } from './shell/variables.ts';

/** The part of a command that decides; `why`: what is not certain about it. */
export interface Part {
  readonly text: string;
  readonly why: string | undefined;
}

export interface Hit extends Part {
  readonly rule: Rule;
}

type Files = ReadonlyMap<FileStep, PathSubject>;

/** What of the line cannot be read; undefined when all of it can. */
export function findUnreadable(steps: readonly Step[]): Part | undefined {
  for (const step of stepsIn(steps)) {
    if (step.kind === 'doubt' && step.doubt.level === 'unreadable') return { text: step.text, why: step.doubt.why };
  }
  return undefined;
}

/** The first step that one of the rules is about, or may be. All of the same effect. */
export function findHit(steps: readonly Step[], files: Files, rules: readonly Rule[]): Hit | undefined {
  const forBash = rules.filter((rule) => rule.about?.kind === 'command');
  const forFiles = {
    read: rules.filter((rule) => isAboutTool(rule, 'read_file')),
    write: rules.filter((rule) => isAboutTool(rule, 'write_file')),
  };
  // What may run anything may open any file, too.
  const anyRule = [...forBash, ...forFiles.write, ...forFiles.read][0];
  for (const step of stepsIn(steps)) {
    const hit = step.kind === 'file' ? hitOfFile(step, files, forFiles[step.access]) : hitOfStep(step, forBash, anyRule);
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function hitOfStep(step: Exclude<Step, FileStep>, rules: readonly Rule[], anyRule: Rule | undefined): Hit | undefined {
  const hit = step.kind === 'command' ? hitOfCommand(step, rules) : undefined;
  if (hit !== undefined && hit.why === undefined) return hit;
  const doubts = step.kind === 'command' ? step.doubts : step.kind === 'doubt' ? [step.doubt] : [];
  const doubt = doubts.find(({ level }) => level !== 'uncovered');
  const rule = hit?.rule ?? anyRule;
  return doubt === undefined || rule === undefined ? hit : { rule, text: step.text, why: doubt.why };
}

/** The rule that is surely about the command, or else one that may be. */
function hitOfCommand(step: CommandStep, rules: readonly Rule[]): Hit | undefined {
  const hits = rules.flatMap((rule): Hit[] => {
    if (rule.about?.kind !== 'command' || !possiblyMatches(rule.about.pattern, step)) return [];
    return [{ rule, text: step.text, why: isCertain(rule.about.pattern, step) ? undefined : unknownWords }];
  });
  return hits.find(({ why }) => why === undefined) ?? hits[0];
}

const unknownWords = 'what it comes to is only known when it runs';

function hitOfFile(step: FileStep, files: Files, rules: readonly Rule[]): Hit | undefined {
  const path = files.get(step);
  const rule = rules.find(
    ({ about }) => about?.kind !== 'path' || path === undefined || possiblyMatchesPath(about.pattern, path),
  );
  if (rule === undefined) return undefined;
  return { rule, text: step.text, why: rule.about !== undefined && path?.isKnown !== true ? unknownFile : undefined };
}

const unknownFile =
  'which file that is cannot be told before it runs: write its path without variables and .., and absolute behind a cd';

/** The `allow` rules of a run, as the steps of a command need them. */
export interface Allowing {
  readonly bash: readonly Rule[];
  readonly read: readonly Rule[];
  readonly write: readonly Rule[];
}

/** What the rules allow of the line: all of it, by these rules, or not this part. */
export type Coverage =
  | { readonly isCovered: true; readonly by: readonly Rule[] }
  | { readonly isCovered: false; readonly part: Part | undefined };

export function findCoverage(steps: readonly Step[], files: Files, { bash, read, write }: Allowing): Coverage {
  const used = new Set<Rule>();
  const patterns = bash.flatMap((rule) => (rule.about?.kind === 'command' ? [{ rule, pattern: rule.about.pattern }] : []));
  const part = findUncovered(steps, { patterns, files, read, write, used });
  return part === undefined ? { isCovered: true, by: [...used] } : { isCovered: false, part };
}

interface RulePattern {
  readonly rule: Rule;
  readonly pattern: CommandPattern;
}

interface Scope {
  readonly patterns: readonly RulePattern[];
  readonly files: Files;
  readonly read: readonly Rule[];
  readonly write: readonly Rule[];
  readonly used: Set<Rule>;
}

function findUncovered(steps: readonly Step[], scope: Scope): Part | undefined {
  for (const step of steps) {
    const part = uncoveredOf(step, scope);
    if (part !== undefined) return part;
  }
  return undefined;
}

function uncoveredOf(step: Step, scope: Scope): Part | undefined {
  switch (step.kind) {
    case 'doubt':
      return { text: step.text, why: step.doubt.why };
    case 'assignment': {
      const { assignment, isOwn, text } = step;
      const isFine = isOwn ? isOwnName(assignment.name) : isHarmless(assignment);
      return isFine ? undefined : { text, why: `a rule does not cover the variable ${assignment.name}` };
    }
    case 'file':
      return uncoveredFile(step, scope);
    case 'command':
      return uncoveredCommand(step, scope);
  }
}

function uncoveredFile(step: FileStep, { files, read, write, used }: Scope): Part | undefined {
  const path = files.get(step);
  const rule = (step.access === 'read' ? read : write).find(
    ({ about }) => path?.isKnown === true && path.isInside && (about?.kind !== 'path' || surelyMatchesPath(about.pattern, path)),
  );
  if (rule !== undefined) {
    used.add(rule);
    return undefined;
  }
  const tool = step.access === 'read' ? 'read_file' : 'write_file';
  return {
    text: step.text,
    why: path?.isKnown === true ? `it needs a rule for ${tool}, as a call of that tool would` : unknownFile,
  };
}

/** A command that only runs another one is covered with that one; any other by a rule, together with what it runs. */
function uncoveredCommand(step: CommandStep, scope: Scope): Part | undefined {
  // Asked once, whatever the number of rules: commands within commands would multiply it.
  let within: { readonly part: Part | undefined } | undefined;
  const uncoveredAlone = (): Part | undefined => {
    within ??= { part: uncoveredWithin(step, undefined, scope) };
    return within.part;
  };
  let missing: Part | undefined;
  if (!step.needsRule) {
    const [doubt] = step.doubts;
    missing = doubt === undefined ? uncoveredAlone() : { text: step.text, why: doubt.why };
    if (missing === undefined) return undefined;
  }
  for (const one of scope.patterns) {
    if (!surelyMatches(one.pattern, step)) continue;
    const part = isExact(one.pattern) ? undefined : uncoveredBy(one, step, { scope, uncoveredAlone });
    if (part === undefined) {
      scope.used.add(one.rule);
      return undefined;
    }
    missing ??= part;
  }
  return missing ?? { text: step.text, why: step.doubts[0]?.why };
}

interface Around {
  readonly scope: Scope;
  readonly uncoveredAlone: () => Part | undefined;
}

function uncoveredBy(one: RulePattern, step: CommandStep, { scope, uncoveredAlone }: Around): Part | undefined {
  const doubt = step.doubts.find(({ spelledAt }) => spelledAt === undefined || !spells(one.pattern, spelledAt));
  if (doubt !== undefined) return { text: step.text, why: doubt.why };
  const isSpelled = step.inner.some(({ index }) => spells(one.pattern, index));
  return isSpelled ? uncoveredWithin(step, one, scope) : uncoveredAlone();
}

/** Of the commands that a command runs, those that the pattern spells are covered by what it says of them, too. */
function uncoveredWithin(step: CommandStep, outer: RulePattern | undefined, scope: Scope): Part | undefined {
  for (const { index, isContinued, steps } of step.inner) {
    const isSpelled = outer !== undefined && spells(outer.pattern, index);
    if (isSpelled && !isContinued) continue;
    const patterns = isSpelled
      ? [...scope.patterns, { rule: outer.rule, pattern: patternFrom(outer.pattern, index) }]
      : scope.patterns;
    const part = findUncovered(steps, { ...scope, patterns });
    if (part !== undefined) return part;
  }
  return undefined;
}
