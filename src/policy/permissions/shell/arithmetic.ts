// What arithmetic may run: a variable's value is itself arithmetic, and the subscript in `a[$(cmd)]` is expanded. Judges texts; evaluates none.
import { holdsTexts } from './variables.ts';
import { addDoubt, type Walk } from './walk.ts';

const number = String.raw`\d+(?:#\w+)?|0[xX][\da-fA-F]+`;
const name = String.raw`\$?[A-Za-z_]\w*|\$\{#?[A-Za-z_]\w*\}`;
/** `$#`, `$?`, `$$` and `$!` are numbers; `$1` is whatever was given. */
const count = String.raw`\$[#?$!]`;
const operator = String.raw`[-+*/%()<>=!&|^~?:,]|\s`;
const token = new RegExp(`(?:${number})(?!\\w)|(${name})|${count}|${operator}`, 'y');

/** What stands between `$((` and `))`, in `((…))`, behind `-eq`, in a subscript: numbers and operators are harmless. */
export function readArithmetic(text: string, walk: Walk): void {
  const names = namesIn(text);
  if (names === undefined) {
    addDoubt(walk, text, { level: 'anything', why: 'arithmetic can run commands through subscripts' });
  } else if (names.length > 0) {
    addDoubt(walk, text, {
      level: 'uncovered',
      why: 'arithmetic takes the value of a variable, which can hold a command in a subscript',
    });
    walk.state.sums.push({ names, text });
  }
}

/** Undefined when it is more than numbers, plain variables and operators. */
function namesIn(text: string): readonly string[] | undefined {
  const names: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) return undefined;
    if (match[1] !== undefined) names.push(match[1].replace(/^\$?\{?#?/, '').replace('}', ''));
    depth += match[0] === '(' ? 1 : match[0] === ')' ? -1 : 0;
    if (depth < 0) return undefined;
  }
  return depth === 0 ? names : undefined;
}

/** Values of the line's own making that bash evaluates: in arithmetic, and as a list. */
export function addTaintedValues(walk: Walk): void {
  const { isNumber, sums, lists, declared } = walk.state;
  const hasTexts = [...isNumber.values()].includes(false);
  const isTainted = (each: string): boolean => {
    if (isNumber.get(each) === false || holdsTexts(each)) return true;
    // What comes from the environment may be the name of a variable that is given a text here: TERM is `dumb`.
    return hasTexts && !isNumber.has(each) && /^(?:[A-Z]|npm_)/.test(each);
  };
  const sum = sums.find(({ names }) => names.some(isTainted));
  const list = declared.find(({ name: each }) => lists.has(each));
  const why = 'a variable that is given a text in the same command can run commands through subscripts here';
  for (const tainted of [sum, list]) if (tainted !== undefined) addDoubt(walk, tainted.text, { level: 'anything', why });
}
