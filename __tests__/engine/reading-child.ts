// A process that looks for leaked calls and announcements in texts that are hard to read and says which one it reads; its test kills it when
// it does not end.
import { writeSync } from 'node:fs';
import { isAnnouncement } from '../../src/engine/announcement.ts';
import { takeOutLeakedCalls } from '../../src/engine/leaked-call.ts';
import { intents } from './last-words.ts';
import { says } from './scripted-model.ts';

const length = 1_000_000;
const fill = (piece: string): string => piece.repeat(Math.ceil(length / piece.length));

const pieces = [
  ...['<tool_call>', '<tool_call>{"', '<invoke name="x">', '[TOOL_CALLS]', '<|', '<|tool', '</tool_call> ', '<w:', '<tool_call'],
  ...['`a` tool_call ', '> a\ninvoke\n', '    x\n', '` `` ', '\\`', '\n', ' ', '```\n', '- ```\n', '<|channel|>', '[', '{"a":'],
  ...['<|tool|>', '<|tool|> ', '<|python_tag|>a\n'],
];
const texts = [
  ...pieces.map(fill),
  `<tool_call>bash${fill('\n')}x`,
  `<tool_call>${fill(' ')}x`,
  `\`\`\`\n${fill('\n')}x`,
  `${'w'.repeat(length / 2)}:tool_call>`,
  // Calls, so many that whatever is done for each must be short, and long gaps beside one.
  ...['<tool_call>{"a":1}</tool_call>', 'a\n<invoke name="x"></invoke>\n\n', '`<tool_call>{"a":1}` '].map(fill),
  `a${fill(' ')}b<tool_call>{"a":1}</tool_call>c${fill('\n')}d`,
  // Runs of backticks, each longer than the one before: a million of them in all.
  `${Array.from({ length: 1_400 }, (_, index) => '`'.repeat(index)).join(' ')}tool_call`,
];
const tools = [{ name: 'bash', description: '', inputSchema: {}, place: 'host', effect: 'execute' } as const];

for (const text of texts) {
  writeSync(1, `${JSON.stringify(text.slice(0, 40))}\n`);
  takeOutLeakedCalls(says(text), tools);
}
// Longer ones are no announcements, but a pattern may be slow long before.
const words = [
  '现在',
  '再先',
  'now ',
  'start by ',
  'le la ',
  'сейчас ',
  '次に',
  'now, ',
  'try to ',
  '我们现在',
  '对',
  'a, ',
  '、',
];
for (const text of [...words, ...Object.values(intents).flat()]) {
  const line = text.replaceAll(/[.。:：…!]/g, ' ');
  writeSync(1, `${JSON.stringify(line.slice(0, 40))}\n`);
  isAnnouncement(line.repeat(600).slice(0, 600), { canChange: true });
}
writeSync(1, 'all read\n');
