// `test` and `[`: operators that look a variable up by its name, and words that may turn out to be such an operator.
import { anything, type CommandFacts } from './command-facts.ts';
import type { ShellWord } from './step.ts';
import { isName } from './variables.ts';

const unary = /^-[a-hknoprstuwxzGLNOS]$/;
const binary = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const joining = /^(?:!|-a|-o|\(|\))$/;

/** `words`: without the name and the closing bracket. */
export function describeTest(words: readonly ShellWord[]): CommandFacts {
  const why = 'a name of a variable can run commands through a subscript';
  if (words.some(({ isSplit }) => isSplit)) return anything('what is tested may be an operator: put it in double quotes');
  for (const [index, { value }] of words.entries()) {
    const next = words[index + 1];
    if (value === '-v' || value === '-R') {
      const isOperand = binary.test(words[index - 1]?.value ?? '') || binary.test(next?.value ?? '');
      if (!isOperand && next !== undefined && !isName(next.value)) return anything(why);
    }
    if (value === undefined && !isOperandAt(words, index)) return anything('what is tested may be an operator');
  }
  return {};
}

/** Whether what stands there is an operand, whatever it is. */
function isOperandAt(words: readonly ShellWord[], index: number): boolean {
  const before = words[index - 1]?.value;
  const after = words[index + 1];
  if (after === undefined)
    return index === 0 || (before !== undefined && (unary.test(before) || binary.test(before) || joining.test(before)));
  if (after.value === undefined) return false;
  if (binary.test(after.value)) return true;
  return joining.test(after.value) && before !== undefined && (unary.test(before) || binary.test(before));
}
