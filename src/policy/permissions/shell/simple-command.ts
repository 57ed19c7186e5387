// One simple command as a step: what is known of its program, the commands within it, the variables that it is given.
import { readArithmetic } from './arithmetic.ts';
import { builtins } from './builtins.ts';
import type { CommandFacts, Describe, InnerCommand } from './command-facts.ts';
import { describeFind } from './find.ts';
import { describeGit } from './git.ts';
import { shells } from './shells.ts';
import type { CommandStep, Doubt, Inner, ShellAssignment, ShellWord } from './step.ts';
import { addDoubt, addValue, maxDepth, type Walk } from './walk.ts';
import { wrappers } from './wrappers.ts';

interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly text: string;
}

const programs: ReadonlyMap<string, Describe> = new Map(
  Object.entries({ ...wrappers, ...shells, ...builtins, find: describeFind, git: describeGit }),
);

/** Puts the command into the walk, with what it does besides. `words` is not empty. */
export function addCommand({ words, assignments, text }: SimpleCommand, walk: Walk): void {
  const name = words[0]?.value;
  const describe = name === undefined ? undefined : programs.get(name.slice(name.lastIndexOf('/') + 1));
  const facts = describe?.(words) ?? {};
  addEffects(facts, text, walk);
  const unknown: Doubt = { level: 'anything', why: 'its name is only known when it runs' };
  const step: CommandStep = {
    kind: 'command',
    text,
    forms: [{ words, isExact: true }, ...(facts.forms ?? [])],
    assignments,
    // A file in some folder may have any name.
    needsRule: facts.needsRule !== false || name?.includes('/') === true,
    isPlain: name !== undefined && describe === undefined,
    doubts: name === undefined ? [unknown] : (facts.doubts ?? []),
    inner: (facts.inner ?? []).map((inner) => readInner(inner, walk)),
  };
  walk.steps.push(step);
}

function addEffects(facts: CommandFacts, text: string, walk: Walk): void {
  if (facts.changesFolder === true) walk.state.changesFolder = true;
  for (const sum of facts.sums ?? []) readArithmetic(sum, walk);
  for (const name of facts.lists ?? []) walk.state.lists.add(name);
  for (const name of facts.declares ?? []) walk.state.declared.push({ name, text });
  for (const { access, path } of facts.files ?? []) walk.steps.push({ kind: 'file', text, access, path });
  for (const name of facts.sets ?? []) {
    addValue(walk, name, false);
    walk.steps.push({ kind: 'assignment', text, assignment: { name, value: undefined, text: name }, isOwn: true });
  }
}

/** Commands within commands lie on a list of their own. */
function readInner(inner: InnerCommand, walk: Walk): Inner {
  const depth = walk.depth + 1;
  walk.state.commandsLeft -= 1;
  if (!('words' in inner)) return { index: inner.index, isContinued: false, steps: walk.readText(inner.script, depth) };
  const within: Walk = { ...walk, steps: [], depth };
  const { words, assignments = [], isImplied = false } = inner;
  for (const { name } of assignments) addValue(within, name, false);
  const text = [...assignments, ...words].map((word) => word.text).join(' ');
  const isTooMuch = depth > maxDepth || walk.state.commandsLeft < 0;
  if (isTooMuch) addDoubt(within, text, { level: 'anything', why: 'there are too many commands within commands' });
  else if (words.length > 0) addCommand({ words, assignments, text }, within);
  return { index: inner.index, isContinued: !isImplied, steps: within.steps };
}
