// Tool calls that were written as text: which texts have one, what is left without it, and what is code.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { takeOutLeakedCalls } from '../../src/engine/leaked-call.ts';
import { blankCode } from '../../src/engine/plain-text.ts';
import { type ToolDefinition, textOf, textPart } from '../../src/schema/message.ts';
import { createRandom } from '../tools/random.ts';
import { says } from './scripted-model.ts';

const tools: readonly ToolDefinition[] = ['bash', 'read_file'].map((name) => ({
  name,
  description: name,
  inputSchema: {},
  place: 'host',
  effect: 'read',
}));

/** What is left of a text with a leaked call in it; undefined when it has none. */
function restOf(text: string): string | undefined {
  const { message, isLeaking } = takeOutLeakedCalls(says(text), tools);
  if (!isLeaking) expect(message).toEqual(says(text));
  return isLeaking ? textOf(message.content) : undefined;
}

const json = '{"name":"bash","arguments":{"command":"ls"}}';

/** Everything that models are known to write. */
const leaks: [string, string][] = [
  ['tool_call with JSON', `<tool_call>${json}</tool_call>`],
  ['the same on lines', `<tool_call>\n${JSON.stringify(JSON.parse(json), null, 2)}\n</tool_call>`],
  ['a list in it', `<tool_calls>[${json}]</tool_calls>`],
  ['in one word', `<toolcall>${json}</toolcall>`],
  ['with an attribute', `<tool_call id="1">${json}</tool_call>`],
  ['with a function in it', '<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>'],
  ['with more in it than a function', '<tool_call>\n<function=bash></function>\nnow\n</tool_call>'],
  ['with keys and values', '<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>'],
  ['with a name, then JSON', '<tool_call>bash\n{"command":"ls"}</tool_call>'],
  ['a function alone', '<function=bash>{"command":"ls"}</function>'],
  ['invoke', '<invoke name="read_file">..</invoke>'],
  ['invoke with parameters', '<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>'],
  ['invoke whose list lost its opening', '<invoke name="bash"></invoke>\n</function_calls>'],
  [
    'function_calls',
    '<function_calls>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</function_calls>',
  ],
  ['a prefix', '<x:function_calls><x:invoke name="bash"></x:invoke></x:function_calls>'],
  ['TOOL_CALLS', `[TOOL_CALLS] [${json}]`],
  ['TOOL_CALLS with a name', '[TOOL_CALLS]bash[ARGS]{"command":"ls"}'],
  ['TOOL_CALL that is closed', `[TOOL_CALL]${json}[/TOOL_CALL]`],
  [
    'special tokens',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
  ],
  ['special tokens with wide bars', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash'],
  ['special tokens and a fence', `<｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n\`\`\`json\n{}\n\`\`\`<｜tool▁call▁end｜>`],
  ['marked tags', '<｜DSML｜function_calls>\n<｜DSML｜invoke name="bash">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>'],
  ['tool_use', `<tool_use>${json}</tool_use>`],
  ['a python tag', '<|python_tag|>bash.call(command="ls")'],
  ['a python tag with JSON', `<|python_tag|>${json}`],
  ['a channel', '<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{}'],
  ['nothing but the opening', '<tool_call>'],
  ['an opening that was cut', '<tool_call>\n{"name": "ba'],
  ['arguments that hold backticks', '<tool_call>{"name":"bash","arguments":{"command":"echo `date`; echo \'```\'"}}</tool_call>'],
  [
    'arguments of several paragraphs',
    '<invoke name="bash">\n<parameter name="command">a\n\n```\nb\n\n    c\n</parameter>\n</invoke>',
  ],
];

describe('G6-06 a leaked call', () => {
  test.each(leaks)('%s leaves nothing', (_name, text) => {
    expect(restOf(text)).toBe('');
    expect(restOf(`\n  ${text}  \n\n`)).toBe('');
  });

  test.each(leaks)('%s leaves what stands before it, in its own words', (_name, text) => {
    expect(restOf(`I **look** at \`a.ts\`.\n\n    code\n\n${text}`)).toBe('I **look** at `a.ts`.\n\n    code');
    expect(restOf(`I look: ${text}`)).toBe(text === '<tool_call>' ? undefined : 'I look:');
  });

  test('what stands after a closed one stays, too, and several are all taken out', () => {
    const one = `<tool_call>${json}</tool_call>`;
    expect(restOf(`First.\n\n${one}\n\nThen.\n${one}${one}\nAt last.`)).toBe('First.\n\nThen.\n\nAt last.');
    expect(restOf(`${one}\n\`${one}\``)).toBe(`\`${one}\``);
  });

  test.each([
    ['arguments', json],
    ['parameters', '{"name":"read_file","parameters":{"path":"a"}}'],
    ['input', '{"name":"read_file","input":{"path":"a"}}'],
    ['arguments as text', '{"name":"bash","arguments":"{\\"command\\":\\"ls\\"}"}'],
    ['a prefixed name', '{"name":"functions.bash","arguments":{}}'],
    ['a name in other letters', '{"name":"Bash","arguments":{}}'],
    ['the wire form', `{"type":"function","function":${json}}`],
    ['a message', `{"role":"assistant","tool_calls":[{"id":"1","function":${json}}]}`],
    ['a list', `[${json}, ${json}]`],
    ['one fence', `\`\`\`json\n${json}\n\`\`\``],
    ['one fence without a language', `\n\`\`\`\n${JSON.stringify(JSON.parse(json), null, 2)}\n\`\`\`\n`],
  ])('JSON that is all of the text is one: %s', (_name, text) => {
    expect(restOf(text)).toBe('');
  });

  test.each(['Let me list the files:', 'I will now run it.', '我来查看文件:'])(
    'in the fence after words that only announce it: %s',
    (words) => {
      expect(restOf(`${words}\n\n\`\`\`json\n${json}\n\`\`\`\n`)).toBe(words);
      expect(restOf(`${words}\n\n\`\`\`json\n${json}\n\`\`\`\n\nThat is all.`)).toBeUndefined();
    },
  );

  test.each([
    ['a tool that was not offered', '{"name":"rm","arguments":{}}'],
    ['no arguments', '{"name":"bash"}'],
    ['a package file', '{"name":"x","version":"1.0.0"}'],
    ['an empty list', '[]'],
    ['a list with something else in it', `[${json}, 7]`],
    ['broken', json.slice(0, -1)],
    ['nested without end', `${'['.repeat(100_000)}${json}${']'.repeat(100_000)}`],
    ['text around it', `Call it like this: ${json}`],
    ['text around its fence', `Call it like this:\n\`\`\`json\n${json}\n\`\`\``],
    ['a name from the prototype', '{"name":"toString","arguments":{}}'],
  ])('JSON is none: %s', (_name, text) => {
    expect(restOf(text)).toBeUndefined();
  });

  test.each(leaks)('%s in code or a quote is none', (_name, text) => {
    expect(restOf(`It reads:\n\n\`\`\`\`xml\n${text}\n\`\`\`\`\n\nThat is all.`)).toBeUndefined();
    expect(restOf(`It reads:\n\n~~~\n${text}`)).toBeUndefined();
    expect(restOf(`It reads:\n\n${text.replaceAll(/^/gm, '> ')}\n`)).toBeUndefined();
    expect(restOf(`It reads:\n\n${text.replaceAll(/^/gm, '    ').replaceAll(/^\s+$/gm, '')}\n`)).toBeUndefined();
    expect(restOf(`It reads \`\`\`\` ${text.replaceAll(/\n+/g, ' ')} \`\`\`\` then.`)).toBeUndefined();
  });

  test.each([
    'The <tool_call> tag holds {"name": …}.',
    'A <tool_call></tool_call> pair is empty.',
    'The <function_calls> list and its end.',
    'We say [TOOL_CALLS] in the docs, and <invoke> too.',
    'Escaped: \\<tool_call>{"name":"bash"}.',
    'As entities: &lt;tool_call&gt;{"name":"bash"}.',
    'Use <tool_call> `{"name":"x"}` here.',
    'Use <tool_call>\n```json\n{"name":"x"}\n```',
    'function_calls and tool_calls are fields of the API.',
    "The special token <|python_tag|> marks Llama's built-in tools.",
    'The template ends each call with <｜tool▁call▁end｜>, which the tokenizer must know.',
    'A <tool_use> block has an id, a name and an input.',
    'A generic: Map<function, invoke<T>>.',
  ])('prose is none: %s', (text) => {
    expect(restOf(text)).toBeUndefined();
  });

  test('parts that are no text stay as they are', () => {
    const opaque = {
      type: 'opaque',
      origin: { provider: 'p', endpoint: 'e', model: 'm' },
      kind: 'thinking',
      value: 'hm',
    } as const;
    const message = { ...says(''), content: [opaque, textPart('I look. '), textPart(leaks[0]?.[1] ?? '')] };
    expect(takeOutLeakedCalls(message, tools).message).toEqual({ ...message, content: [opaque, textPart('I look.')] });
  });

  test('what is left has none any more, whatever is mixed', () => {
    const pieces = [
      ...leaks.slice(0, 14).map(([, text]) => text),
      'Some words.',
      'I see `it`.',
      '\n\n',
      ' ',
      '- item\n',
      'a ` b',
    ];
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = createRandom(seed);
      const text = Array.from({ length: 1 + random.below(8) }, () => random.pick(pieces)).join(random.pick(['', '\n', '\n\n']));
      const rest = restOf(text);
      if (rest === undefined) continue;
      expect([text, restOf(rest)]).toEqual([text, undefined]);
      // Words are never lost with the markup, as long as all of it is closed.
      expect(rest.split('Some words.').length).toBe(text.split('Some words.').length);
    }
  });
});

describe('code', () => {
  test.each([
    ['a span', 'a `b` c', 'a     c'],
    ['a span of two backticks', 'a ``b ` c`` d', 'a           d'],
    ['a span over lines', 'a `b\nc` d', 'a   \n   d'],
    ['no span over paragraphs', 'a `b\n\nc` d', 'a `b\n\nc` d'],
    ['no span without an end', 'a `b', 'a `b'],
    ['no span that is escaped', 'a \\`b` c', 'a \\`b` c'],
    ['a fence', 'a\n```js\nb\n```\nc', 'a\n     \n \n   \nc'],
    ['a fence without an end', 'a\n~~~\nb\nc', 'a\n   \n \n '],
    ['a fence in a list', '- a\n\n  ```\n  b\n  ```\nc', '- a\n\n     \n   \n     \nc'],
    ['a longer fence around a shorter one', '````\n```\nb\n```\n````\nc', '    \n   \n \n   \n    \nc'],
    ['an indented block', 'a\n\n    b\n    c\nd', 'a\n\n     \n     \nd'],
    ['no indented block within a paragraph', 'a\n    b', 'a\n    b'],
    ['a quote', 'a\n> b\nc', 'a\n   \nc'],
    ['backticks in the line of a fence', '``` a`b\nc', '``` a`b\nc'],
    ['windows line ends', 'a\r\n```\r\nb\r\n```\r\nc', 'a\r\n    \n  \n    \nc'],
  ])('is blanked at its place: %s', (_name, text, blanked) => {
    expect(blankCode(text)).toBe(blanked);
  });

  test('every place keeps its number, whatever the text', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = createRandom(seed);
      const text = Array.from({ length: random.below(40) }, () =>
        random.pick(['`', '``', '```', '\n', '\n\n', '    ', '> ', '~~~', 'é', 'b ']),
      ).join('');
      const blanked = blankCode(text);
      expect(blanked).toHaveLength(text.length);
      for (const [index, character] of [...blanked].entries()) expect([' ', text.charAt(index)]).toContain(character);
    }
  });
});

test('a megabyte is read to its end, whatever it holds: nothing in the reading is quadratic', async () => {
  const child = path.join(import.meta.dirname, 'reading-child.ts');
  // It takes a second; were anything in it quadratic, days. What it was reading when it was killed is the last line of the error's stdout.
  const { stdout } = await promisify(execFile)(process.execPath, [child], { timeout: 60_000, killSignal: 'SIGKILL' });
  expect(stdout.trim().split('\n').at(-1)).toBe('all read');
}, 180_000);
