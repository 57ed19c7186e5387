import { describe, expect, test } from '@jest/globals';
import { applyEdit, planEdit } from '../../../src/tools/edit-file/apply-edit.ts';

/** What comes out, or the code of the refusal. */
function outcome(content: string, oldString: string, newString: string): string {
  try {
    return applyEdit(content, oldString, newString);
  } catch (error) {
    return String(Reflect.get(Object(error), 'code'));
  }
}

type Row = readonly [rule: string, content: string, old: string, wanted: string, result: string];

const code =
  'class A {\n    sum(list) {\n        let total = 0;\n        for (const item of list) {\n            total += item;\n        }\n        return total;\n    }\n}\n';

const form: readonly Row[] = [
  [
    'indentation that both strings lack is given back',
    code,
    'let total = 0;\nfor (const item of list) {',
    'let total = 1;\nfor (const item of list) {',
    code.replace('= 0', '= 1'),
  ],
  [
    'a line that comes in is indented as its neighbours were read',
    code,
    'for (const item of list) {\n    total += item;\n}',
    'for (const item of list) {\n    check(item);\n    total += item;\n}',
    code.replace('            total', '            check(item);\n            total'),
  ],
  [
    'deeper lines follow from the step between lines',
    'a:\n  b:\n    c: 1\n',
    'a:\n    b:\n        c: 1',
    'a:\n    b:\n        c: 1\n        d:\n            e: 2',
    'a:\n  b:\n    c: 1\n    d:\n      e: 2\n',
  ],
  [
    'tabs stand for the spaces of the strings',
    'if x:\n\tdo()\n',
    'if x:\n    do()',
    'if x:\n    do()\n    undo()',
    'if x:\n\tdo()\n\tundo()\n',
  ],
  [
    "a block is wrapped, and moves by the file's step",
    'f() {\n\ta();\n\tb();\n}\n',
    '    a();\n    b();',
    '    if (x) {\n        a();\n        b();\n    }',
    'f() {\n\tif (x) {\n\t\ta();\n\t\tb();\n\t}\n}\n',
  ],
  ['indentation that does not follow is refused', 'a\n   b\n c\n', 'a\nb\nc', 'a\nb\n    d\nc', 'UNCLEAR'],
  [
    'a brace alone that stands elsewhere closes something else, and is not taken away',
    'g {\n  if (a) {\n    b();\n}\n',
    '  if (a) {\n    b();\n  }',
    '  if (a) {\n    b();',
    'UNCLEAR',
  ],
  [
    'of two braces that have lost their depths nobody knows which one goes',
    'f {\n  if (a) {\n    b();\n  }\n}\n',
    'if (a) {\nb();\n}\n}',
    'if (a) {\nb();\n}',
    'UNCLEAR',
  ],
  [
    'nothing goes in before a brace that stands elsewhere',
    'g {\n  if (a) {\n    b();\n  }\n}\n',
    'g {\n  if (a) {\n    b();\n}',
    'g {\n  if (a) {\n    b();\n  c();\n}',
    'UNCLEAR',
  ],
  [
    'what is changed elsewhere goes in whatever the depth of a brace',
    'g {\n  if (a) {\n    b();\n    c();\n  }\n}\n',
    'g {\n  if (a) {\n    b();\n    c();\n}',
    'g {\n  if (d) {\n    b();\n    c();\n}',
    'g {\n  if (d) {\n    b();\n    c();\n  }\n}\n',
  ],
  ['blanks at the end of the one line are not written twice', 'x\n  a b \n', 'a  b ', 'a  c ', 'x\n  a c \n'],
  [
    'spaces at line ends stay where nothing changes',
    'a = 1  \nb = 2\t\nc = 3\n',
    'a = 1\nb = 2\nc = 3',
    'a = 1\nb = 2\nc = 4',
    'a = 1  \nb = 2\t\nc = 4\n',
  ],
  [
    'spaces that align a line stay in it',
    'long  = 1\nname   = 2\n',
    'long = 1\nname = 2',
    'long = 1\nname = 3',
    'long  = 1\nname   = 3\n',
  ],
  [
    'white space that is changed must be there as believed',
    "say('a  b')\nend()\n",
    "say('a b')\n\nend()",
    "say('ab')\n\nend()",
    'UNCLEAR',
  ],
  ['blank lines stay as many as there are', 'a()\n\n\nb()\nc()\n', 'a()\nb()\nc()', 'a()\nb()\nd()', 'a()\n\n\nb()\nd()\n'],
  ['a blank line that comes in comes in', 'alpha() \nbeta()\n', 'alpha()\nbeta()', 'alpha()\n\nbeta()', 'alpha() \n\nbeta()\n'],
  [
    'curly quotes of the file stay, and those of the model become plain',
    'say("a", x)\nrun("b")\n',
    'say(“a”, x)\nrun(“b”)',
    'say(“a”, y)\nrun(“b”)\nend(“c”)',
    'say("a", y)\nrun("b")\nend("c")\n',
  ],
  [
    'curly quotes of a changed line stay',
    'He said “no” — then left\n',
    'He said "no" - then left',
    'He said "no" - then ran',
    'He said “no” — then ran\n',
  ],
  [
    'no-break spaces, soft hyphens and an ellipsis of the file stay',
    'ten\u00a0km, co\u00adop… and more\n',
    'ten km, coop... and more',
    'ten km, coop... and less',
    'ten\u00a0km, co\u00adop… and less\n',
  ],
  ['accents in another form are found', 'cafe\u0301 = 1\n', 'caf\u00e9 = 1', 'caf\u00e9 = 2', 'cafe\u0301 = 2\n'],
  [
    'a wrapper that is indented like the wrapped line was read goes where that line is',
    'if a {\n  b()\n  c()\n}\n',
    'if a {\n b()\n c()\n}',
    'if a {\n b()\n if x {\n  c()\n }\n}',
    'if a {\n  b()\n  if x {\n    c()\n  }\n}\n',
  ],
  [
    'the line that becomes the first one has lost no indentation of its own',
    'a {\n    b("x")\n    c()\n}\n',
    'b(“x”)\n    c()\n}',
    'c()\n}',
    'a {\n    c()\n}\n',
  ],
  [
    'a line that comes in before the first one, whose indentation is lost, is indented as it',
    'a {\n    b("x")\n    c()\n}\n',
    'b(“x”)\n    c()\n}',
    'new()\n    b(“x”)\n    c()\n}',
    'a {\n    new()\n    b("x")\n    c()\n}\n',
  ],
  [
    "tabs and blanks are not mixed where the file's lines do not",
    '{\n\ta("x");\n\t\tb();\n}\n',
    'a(“x”);',
    'if (y) {\n    a(“x”);\n}',
    'UNCLEAR',
  ],
  [
    'tabs and blanks are mixed where the file does',
    '{\n\ta("x");\n\t    b();\n\t    c();\n}\n',
    'a(“x”);',
    'if (y) {\n    a(“x”);\n}',
    '{\n\tif (y) {\n\t    a("x");\n\t}\n\t    b();\n\t    c();\n}\n',
  ],
  [
    'a first line that says otherwise than those of its indentation leaves it open',
    '\t}\n\n      a(x)\n    }\n}\n',
    '    }\n\n      a(x)\n    }\n}',
    '    }\n    b()\n\n      a(x)\n    }\n}',
    'UNCLEAR',
  ],
  [
    'no-break spaces in front of lines count as plain ones',
    'a:\n  b: 1\n',
    'a:\n\u00a0\u00a0b: 1',
    'a:\n\u00a0\u00a0b: 1\n\u00a0\u00a0c:\n\u00a0\u00a0\u00a0\u00a0d: 2',
    'a:\n  b: 1\n  c:\n    d: 2\n',
  ],
  ['who bends one quote bends them all', 'a("x");\n', 'a(”x”);', 'a(”x”);\nb(“it’s”);', 'a("x");\nb("it\'s");\n'],
  [
    'what is unseen in a changed line stays',
    '> ⚠\ufe0f  Careful\n',
    '> ⚠\ufe0f Careful',
    '> ⚠\ufe0f Careless',
    '> ⚠\ufe0f  Careless\n',
  ],
  [
    'a blank line with spaces stays beside a line that comes in after it',
    'a()\n  \nb()\n',
    'a()\n\nb()',
    'a()\n\nnew()\nb()',
    'a()\n  \nnew()\nb()\n',
  ],
  [
    'as many blank lines as there are stay before a line that comes in',
    'a()\n\nb()\n',
    'a()\n\n\nb()',
    'a()\n\n\nnew()\nb()',
    'a()\n\nnew()\nb()\n',
  ],
  [
    'lines after one whose indentation is lost may have theirs, or stand deeper',
    'f {\n    a("x")\n}\n',
    'a(“x”)',
    'a(“x”)\n    b()',
    'UNCLEAR',
  ],
  [
    'a wrapper in a block without its indentation moves the wrapped line',
    'f {\n  if a {\n    b("x")\n',
    'if a {\n  b(“x”)',
    'if a {\n  if c {\n    b(“x”)\n  }',
    'f {\n  if a {\n    if c {\n      b("x")\n    }\n',
  ],
  ['a piece of a line leaves the blanks after it', 'x = f(a,  b)  \ny\n', 'f(a, b)', 'f(a, c)', 'x = f(a,  c)  \ny\n'],
];

const readings: readonly Row[] = [
  [
    'line numbers with a tab',
    'x\nfoo()\nbar()\n',
    '     2\tfoo()\n     3\tbar()',
    '     2\tfoo()\n     3\tbaz()',
    'x\nfoo()\nbaz()\n',
  ],
  [
    'line numbers with a bar, and indentation that the strings lack',
    'x\n  foo()\n  bar()\n',
    '2 | foo()\n3 | bar()',
    '2 | foo()\n3 | baz()',
    'x\n  foo()\n  baz()\n',
  ],
  ['line numbers in old_string alone', 'x\nfoo()\nbar()\n', '2: foo()\n3: bar()', 'foo()\nbaz()', 'x\nfoo()\nbaz()\n'],
  ['numbers of data stay in new_string', 'x\n7\ta\n8\tb\n', '2→7\ta\n3→8\tb', '7\ta\n9\tb', 'x\n7\ta\n9\tb\n'],
  ['numbers that do not count up are text', 'foo()\nbar()\n', '2\tfoo()\n9\tbar()', '2\tfoo()\n9\tbaz()', 'NOT_FOUND'],
  ['a fence around both', 'foo()\nbar()\n', '```js\nfoo()\n```', '```js\nbaz()\n```', 'baz()\nbar()\n'],
  ['the marks of a patch', 'a()\nb()\nc()\n', ' a()\n-b()\n c()', ' a()\n+x()\n c()', 'a()\nx()\nc()\n'],
  ['the marks of a quotation', 'a()\nb()\n', '> a()\n> b()', '> a()\n> x()', 'a()\nx()\n'],
  ['entities', 'if (a < b && c)\n', 'if (a &lt; b &amp;&amp; c)', 'if (a &lt; d &amp;&amp; c)', 'if (a < d && c)\n'],
  ['escapes of the whole text', 'say("x")\nend()\n', 'say(\\"x\\")\\nend()', 'say(\\"y\\")\\nend()', 'say("y")\nend()\n'],
  [
    'an escape that old_string does not have stays as it is',
    'say("x", 1)\n',
    'say(\\"x\\", 1)',
    'say(\\"x\\", "\\n")',
    'say("x", "\\n")\n',
  ],
  ['what stands there as given is not read otherwise', 'a &lt; b\na < b\n', 'a &lt; b', 'a &lt; c', 'a &lt; c\na < b\n'],
  ['a reading must be unique, too', 'a < b\na < b\n', 'a &lt; b', 'a &lt; c', 'NOT_UNIQUE'],
  [
    'an entity of what old_string has plain is meant',
    '<a title="x">\n',
    '<a title=&quot;x&quot;>',
    '<a title=&quot;x &lt; y&quot;>',
    'NOT_FOUND',
  ],
  ['a quote that only new_string has is escaped as all the rest', 'a()\nb()\n', 'a()\\nb()', 'a()\\nb(\\"x\\")', 'a()\nb("x")\n'],
  ['a blank behind the numbers is the text where the file has it', 'a:\n  b: 1\n', '2:  b: 1', '  b: 2', 'a:\n  b: 2\n'],
  [
    'numbers of a list are line numbers where the lines have them',
    'a\nb()\nc()\n',
    '2. b()\n3. c()',
    '2. b()\n3. d()',
    'a\nb()\nd()\n',
  ],
  ['numbers of a list are the text elsewhere', 'a\nb()\nc()\n', '1. b()\n2. c()', '1. b()\n2. d()', 'NOT_FOUND'],
  ['who numbers a list means it', 'b\nc\n', 'b\nc', '1. b\n2. c', '1. b\n2. c\n'],
];

const block = 'const first = load(source);\nconst second = check(first, 30);\nconst third = store(second);\nreport(third);\n';
const edited = (text: string) => text.replace('report(third)', 'report(third, true)');
const slip = (from: string, to: string): readonly [string, string, string, string] => {
  const copied = block.replace(from, to).trimEnd();
  return [block, copied, edited(copied), edited(block)];
};
const refusedSlip = (from: string, to: string): readonly [string, string, string, string] => {
  const [content, old, wanted] = slip(from, to);
  return [content, old, wanted, 'NOT_FOUND'];
};

const noted = block.replace('report', 'note(third);\nlog(third);\nreport');

const slips: readonly Row[] = [
  ['a letter missing in a line that stays', ...slip('source', 'sorce')],
  ['two letters exchanged', ...slip('second = check', 'secnod = check')],
  ['a semicolon forgotten', ...slip('store(second);', 'store(second)')],
  ['other spaces around signs', ...slip('const third = store(second);', 'const third=store( second );')],
  [
    'a line left out of both strings',
    noted,
    edited(noted.replace('note(third);\n', '')).replace(', true', '').trimEnd(),
    edited(noted.replace('note(third);\n', '')).trimEnd(),
    edited(noted),
  ],
  ['a digit is never a slip', ...refusedSlip('30', '31')],
  ['a word that the file has is never a slip', ...refusedSlip('store(second)', 'store(first)')],
  ['another word is none', ...refusedSlip('check(first', 'clear(first')],
  [
    '`get` and `set` are two words',
    block.replace('check', 'getItem'),
    block.replace('check', 'setItem').trimEnd(),
    edited(block.replace('check', 'setItem')).trimEnd(),
    'NOT_FOUND',
  ],
  [
    'two slips in four lines are too many',
    block,
    block.replace('source', 'sorce').replace('store', 'stroe').trimEnd(),
    edited(block.replace('source', 'sorce').replace('store', 'stroe')).trimEnd(),
    'NOT_FOUND',
  ],
  [
    'a slip in the line to change is refused',
    block,
    block.replace('report', 'repotr').trimEnd(),
    edited(block.replace('report', 'repotr')).replace('third)', 'third, 1)').trimEnd(),
    'NOT_FOUND',
  ],
  [
    'a twin that is half as like is enough to refuse',
    block + block.replace('source', 'sourze').replace('30', '40'),
    ...(slip('source', 'sorce').slice(1, 3) as [string, string]),
    'NOT_FOUND',
  ],
  [
    'of two equal lines it is not known which one was left out',
    'const first = load(source,\n  "",\n  "",\n  options);\nreport(first, options);\n',
    'const first = load(source,\n  "",\n  options);\nreport(first, options);',
    'const first = load(source,\n  1,\n  "",\n  options);\nreport(first, options);',
    'NOT_FOUND',
  ],
];

const sense: readonly Row[] = [
  [
    '"rest of" with dots stands for code',
    'f() {\n a\n b\n c\n}\n',
    'f() {\n a\n b\n c\n}',
    'f() {\n x\n // ... rest of the code ...\n}',
    'PLACEHOLDER',
  ],
  [
    '"unchanged" where lines go stands for code',
    'f() {\n a\n b\n c\n}\n',
    'f() {\n a\n b\n c\n}',
    'g() {\n # unchanged\n}',
    'PLACEHOLDER',
  ],
  [
    'dots in a comment where lines go stand for code',
    'f() {\n a\n b\n c\n}\n',
    'f() {\n a\n b\n c\n}',
    'g() {\n // …\n}',
    'PLACEHOLDER',
  ],
  [
    'a remark of its own is none',
    'a\nb\n',
    'a',
    '// the rest of the arguments are read by the caller',
    '// the rest of the arguments are read by the caller\nb\n',
  ],
  ['spread arguments are none', 'f(a)\n', 'f(a)', 'f(...rest)', 'f(...rest)\n'],
  [
    'an insertion that stands there already is not done again',
    'a() \nnew()\nb()\n',
    'a()\nb()',
    'a()\nnew()\nb()',
    'ALREADY_APPLIED',
  ],
  ['spread members are none on lines of their own', 'f({\n  a,\n})\n', '  a,', '  ...rest,\n  a,', 'f({\n  ...rest,\n  a,\n})\n'],
];

describe.each([
  ['a text that differs in form', form],
  ['another reading of the strings', readings],
  ['a slip in a line that stays', slips],
  ['the sense of an edit', sense],
])('%s', (_kind, rows) => {
  test.each(rows.map(([rule, ...texts]) => ({ rule, texts })))('$rule', ({ texts: [content, oldString, newString, result] }) => {
    expect(outcome(content, oldString, newString)).toBe(result);
  });
});

test('each of several places keeps its own form with replace_all', () => {
  const content = 'if a:\n    go()  \n    end()\nif b:\n\tgo()\n\tend()\n';
  expect(applyEdit(content, 'go()\nend()', 'go()\nstop()', { replaceAll: true })).toBe(
    'if a:\n    go()  \n    stop()\nif b:\n\tgo()\n\tstop()\n',
  );
});

test('an exact text is replaced as it is; that its lines stand further out than the one it began in is said', () => {
  const content = 'if a:\n        go(a)\n';
  const noteOf = (old: string, wanted: string) => planEdit(content, old, wanted).note?.includes('further out') ?? false;
  expect(applyEdit(content, '    go(a)', '    go(a)\n    stop(b)')).toBe('if a:\n        go(a)\n    stop(b)\n');
  expect(noteOf('    go(a)', '    go(a)\n    stop(b)')).toBe(true);
  expect(noteOf('go(a)', 'go(a)\n        stop(b)')).toBe(false);
  expect(noteOf('go(a)', 'stop(b)')).toBe(false);
  expect(noteOf('o(a)', 'o(\na)')).toBe(false);
});
