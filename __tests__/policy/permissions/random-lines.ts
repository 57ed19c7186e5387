// Command lines at random: by a grammar of bash, then damaged. `evil` and `git push` stand wherever text may stand: in quotes, documents, comments.
// No absolute paths and no programs but those of real-bash.ts, so that running a line harms nothing outside of its folder.
import type { Random } from '../../tools/random.ts';
import { fragments, plain, usual, wrappers } from './random-words.ts';

type Rule = (random: Random, depth: number) => string;

const maxDepth = 4;

/** One line; about half of them are damaged. */
export function randomLine(random: Random): string {
  const line = list(random, 0);
  return random.below(2) === 0 ? line : damage(line, random);
}

const list: Rule = (random, depth) => {
  const count = 1 + random.below(depth === 0 ? 3 : 2);
  let text = statement(random, depth);
  for (let index = 1; index < count; index += 1) {
    const between = random.pick([
      '; ',
      ' && ',
      ' || ',
      '\n',
      ' & ',
      ';',
      ' | ',
      ' |& ',
      '\n\n',
      ' # evil\n',
      ';\n',
      '&&\n',
      '|\n# evil\n',
      ' \\\n&& ',
    ]);
    text += between + statement(random, depth);
  }
  return text;
};

const statement: Rule = (random, depth) => {
  if (depth >= maxDepth || random.below(5) > 1) return simple(random, depth);
  return random.pick(compounds)(random, depth + 1);
};

const simple: Rule = (random, depth) => {
  const before = random.below(16) === 0 ? `${random.pick(assignments)(random, depth)} ` : '';
  const wrapper = random.below(10) === 0 ? `${random.pick(wrappers)} ` : '';
  const redirects = random.below(12) === 0 ? ` ${random.pick(redirections)(random, depth)}` : '';
  return `${random.below(12) === 0 ? '! ' : ''}${before}${wrapper}${command(random, depth)}${redirects}`;
};

const command: Rule = (random, depth) => {
  const fixed =
    random.below(40) === 0
      ? random.pick(['git push', 'evil', '', ''])
      : random.pick(['npm test', 'git status', 'cat', 'echo hi', 'true']);
  const name = random.below(25) === 0 ? odd(random, depth) : fixed === '' ? word(random, depth) : fixed;
  if (name === 'git status') return name;
  const words = Array.from({ length: random.below(4) }, () => word(random, depth));
  return [name, ...words].join(random.below(15) === 0 ? random.pick(['  ', '\t', ' \\\n']) : ' ');
};

/** Programs by other spellings. */
const odd: Rule = (random, depth) =>
  random.pick([
    'n"p"m test',
    'np\\m test',
    "$'npm' test",
    "$'\\x65vil'",
    'ev""il',
    'e\\vil',
    '"evil"',
    "g'i't push",
    'git pu\\sh',
    'git "push"',
    '$x',
    '${y:-evil}',
    '{evil,a}',
    '{npm,test}',
    'ca[t]',
    '?vil',
    '~',
    '$(echo evil)',
    '`echo evil`',
    '\\\nevil',
    'ev\\\nil',
    'git -c a.b=c push',
    'git --no-pager push',
    'bash -c',
    'eval',
    'sh -c',
    'exec',
    'command',
    'source',
    '.',
    'trap',
    'let',
    'read',
    'printf',
    'export',
    'declare',
    'test',
    '[',
    'set',
    'unset',
  ]) + (random.below(3) === 0 ? ` ${quoted(random, depth)}` : '');

const word: Rule = (random, depth) => {
  const count = random.below(5) === 0 ? 2 : 1;
  return Array.from({ length: count }, () => piece(random, depth)).join('');
};

const piece: Rule = (random, depth) => {
  if (depth >= maxDepth || random.below(4) > 0) return random.below(4) === 0 ? random.pick(plain) : random.pick(usual);
  return random.pick(structured)(random, depth + 1);
};

const structured: readonly Rule[] = [
  (random, depth) => `$(${list(random, depth)})`,
  (random, depth) => `"$(${list(random, depth)})"`,
  (random, depth) => `"a $(${list(random, depth)}) b"`,
  (random, depth) => `\`${simple(random, depth).replaceAll('`', '')}\``,
  (random, depth) => `"\`${simple(random, depth).replaceAll(/[`"]/g, '')}\`"`,
  (random, depth) => `<(${list(random, depth)})`,
  (random, depth) => `>(${list(random, depth)})`,
  (random) => `$((${sum(random)}))`,
  (random) => `$[${sum(random)}]`,
  (random, depth) =>
    `\${x${random.pick([':-', '-', ':+', '+', ':=', '=', ':?', '#', '##', '%', '%%', '/', '//', '/#', '^', '^^', ',', '@', ':', '[', '!'])}${piece(random, depth)}}`,
  (random, depth) => `"\${x${random.pick([':-', '+', '#', '%', '/'])}${piece(random, depth)}}"`,
  (random) =>
    random.pick([
      '${#x}',
      '${!x}',
      '${x@P}',
      '${x[0]}',
      '${x[@]}',
      '"${x[*]}"',
      '${x[$(evil)]}',
      '${x:1:2}',
      '${x:$(evil)}',
      '${x/a/b}',
      '${!x*}',
      '${x:-$(evil)}',
    ]),
  (random, depth) => `"${piece(random, depth).replaceAll('"', '')}"`,
  (random, depth) => `{${piece(random, depth)},${piece(random, depth)}}`,
  (random, depth) => quoted(random, depth),
];

/** A text in quotes that would be a line of its own. */
const quoted: Rule = (random, depth) => {
  const text = random.pick([
    'evil',
    'git push',
    'npm test',
    'a[$(evil)]',
    'a[`evil`]',
    'x=$(evil)',
    "';evil;'",
    simple(random, depth + 1),
  ]);
  return random.below(2) === 0 ? `'${text.replaceAll("'", '')}'` : `"${text.replaceAll('"', '').replaceAll(/[$`]/g, '\\$&')}"`;
};

function sum(random: Random): string {
  const part = () =>
    random.pick([
      '1',
      'x',
      '$x',
      '(1)',
      'a[1]',
      'a[$(evil)]',
      '$(evil)',
      '`evil`',
      'x++',
      '-1',
      '16#f',
      'evil',
      '"1"',
      "'a'",
      ' ',
      '#',
    ]);
  return Array.from({ length: 1 + random.below(3) }, part).join(random.pick(['+', '*', ' ', '<', ',', '==', '&&', '?1:']));
}

const compounds: readonly Rule[] = [
  (random, depth) => `(${list(random, depth)})`,
  (random, depth) => `{ ${list(random, depth)}; }`,
  (random, depth) =>
    `if ${list(random, depth)}; then ${list(random, depth)}; ${random.below(2) === 0 ? `else ${list(random, depth)}; ` : ''}fi`,
  (random, depth) =>
    `for ${random.pick(['f', 'x', 'i'])} in ${word(random, depth)} ${word(random, depth)}; do ${list(random, depth)}; done`,
  (random, depth) => `for x in ${word(random, depth)}\ndo\n${list(random, depth)}\ndone`,
  (random, depth) => `for ((i=0;i<${random.pick(['1', '2', sum(random)])};i++)); do ${list(random, depth)}; done`,
  (random, depth) => `while ${simple(random, depth)}; do ${list(random, depth)}; break; done`,
  (random, depth) => `until ${simple(random, depth)}; do ${list(random, depth)}; break; done`,
  (random, depth) =>
    `case ${word(random, depth)} in ${random.pick(['', '('])}${piece(random, depth)}) ${list(random, depth)}${random.pick([';;', ';&', ';;&', '\n;;'])} *) ${list(random, depth)};; esac`,
  (random, depth) => `case a in a|${piece(random, depth)}) ${list(random, depth)} ;; esac`,
  (random, depth) => `select x in ${word(random, depth)}; do ${list(random, depth)}; done`,
  (random, depth) =>
    `[[ ${word(random, depth)} ${random.pick(['==', '!=', '=~', '-eq', '<', '-nt', '='])} ${word(random, depth)} ]]`,
  (random, depth) =>
    `[[ ${random.pick(['-n', '-z', '-f', '-v', '! -n', ''])} ${word(random, depth)} ${random.pick(['', '&& a', '|| -n b'])} ]]`,
  (random) => `((${sum(random)}))`,
  (random) => `(( ${sum(random)} ))`,
  (random, depth) => `f() { ${list(random, depth)}; }; f ${word(random, depth)}`,
  (random, depth) => `function g { ${list(random, depth)}; }\ng`,
  (random, depth) => `time ${random.pick(['', '-p ', '-- '])}${simple(random, depth)}`,
  (random, depth) => `coproc ${random.pick(['', 'N '])}{ ${list(random, depth)}; }`,
  (random, depth) => `${simple(random, depth)} ${document(random, depth)}`,
  (random, depth) => `${simple(random, depth)} ${document(random, depth)}`,
  (random, depth) => `cat <<A <<'B'\n${word(random, depth)}\nA\n$(evil)\nB\n${list(random, depth)}`,
  (random, depth) => `bash -c ${quoted(random, depth)}`,
  (random, depth) => `eval ${quoted(random, depth)}`,
  (random, depth) => `alias ${random.pick(['npm', 'a'])}=${quoted(random, depth)}\n${simple(random, depth)}`,
  (random, depth) => `shopt -s ${random.pick(['extglob', 'expand_aliases', 'nullglob'])}\n${list(random, depth)}`,
  (random, depth) => `trap ${quoted(random, depth)} ${random.pick(['EXIT', 'ERR', 'DEBUG'])}\n${simple(random, depth)}`,
];

const document: Rule = (random, depth) => {
  const [begin, end] = random.pick([
    ['<<E', 'E'],
    ["<<'E'", 'E'],
    ['<<"E"', 'E'],
    ['<<\\E', 'E'],
    ['<<-E', '\tE'],
    ["<<-'E'", '\tE'],
    ["<<E''", 'E'],
    ['<<E\\F', 'EF'],
    ['<<E', ' E'],
    ['<<-E', 'E'],
    ['<< E', 'E'],
    ['<<$x', '$x'],
    ['<<`a`', '`a`'],
    ["<<$'E'", 'E'],
    ['<<E', 'E '],
    ['<<""', ''],
    ['<<E', 'F'],
    ['<<a;', 'a'],
    ['2<<E', 'E'],
    ['<<<E', ''],
  ]);
  const line = () =>
    random.pick([
      'evil',
      '$(evil)',
      '`evil`',
      '\\$(evil)',
      "'$(evil)'",
      '"',
      "'",
      '\\',
      'a\\',
      'E)',
      word(random, depth),
      '$x',
      '${x:-$(evil)}',
      '#',
      '',
      'E #',
    ]);
  const after = random.pick(['', '\nevil', `\n${simple(random, depth)}`]);
  return `${begin}${random.pick(['', '', ` | cat`, '; npm test', ' && cat'])}\n${Array.from({ length: random.below(3) }, line).join('\n')}\n${end}${after}`;
};

const assignments: readonly Rule[] = [
  (random, depth) => `CI=${word(random, depth)}`,
  (random, depth) => `x=${word(random, depth)}`,
  (random, depth) => `x+=${word(random, depth)}`,
  (random, depth) => `x[${random.pick(['0', 'i', '$(evil)'])}]=${piece(random, depth)}`,
  (random, depth) => `x=(${word(random, depth)} [1]=${piece(random, depth)})`,
  (random) =>
    random.pick([
      'DEBUG=',
      'NODE_ENV=test',
      'IFS=e',
      'PATH=.',
      "PS4='$(evil)'",
      'BASH_ENV=f',
      'LC_ALL=C',
      '1x=2',
      'x y=1',
      'é=evil',
      "CI='a[$(evil)]'",
    ]),
];

const redirections: readonly Rule[] = [
  (random) =>
    random.pick([
      '> f1',
      '>> f1',
      '>f1',
      '&> f1',
      '&>> f1',
      '>| f1',
      '<> f1',
      '2>f1',
      '2>&1',
      '>&2',
      '>&f1',
      '1>&-',
      '<&-',
      '< f1',
      '{x}>f1',
      '2>&1 >f1',
      '>$x',
      '>"f1"',
      '3>&1',
      '>&$x',
    ]),
  (random, depth) => `<<< ${word(random, depth)}`,
  (random, depth) => `< <(${list(random, depth + 1)})`,
  (random, depth) => `> >(${list(random, depth + 1)})`,
];

/** Some pieces taken out, put in, doubled, or exchanged. */
function damage(line: string, random: Random): string {
  let text = line;
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const at = random.below(text.length + 1);
    const end = Math.min(text.length, at + random.below(6));
    const to = random.below(text.length + 1);
    switch (random.below(5)) {
      case 0:
        text = text.slice(0, at) + text.slice(end);
        break;
      case 1:
        text = text.slice(0, to) + text.slice(at, end) + text.slice(to);
        break;
      default:
        text = text.slice(0, at) + random.pick(fragments) + text.slice(at);
    }
  }
  return text;
}
