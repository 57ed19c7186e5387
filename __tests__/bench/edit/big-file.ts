// A made-up TypeScript file of about 5 MB, and four edits near its end: exact, loose, near, absent.
import { WORDS } from './block.ts';
import { createRandom } from './random.ts';

const BYTES = 5e6;
const FUNCTION_LINES = 12;
const FROM_THE_END = 20;

export interface BigCase {
  readonly name: 'exact' | 'indent' | 'typo' | 'absent';
  readonly content: string;
  readonly old: string;
  readonly new: string;
  /** The right text; null when it must be refused. */
  readonly want: string | null;
}

function bigFileLines(): readonly string[] {
  const random = createRandom(5);
  const lines: string[] = [];
  let size = 0;
  for (let index = 0; size < BYTES; index += 1) {
    const word = random.pick(WORDS);
    const made = [
      `export function ${word}${index}(input: number[], limit = ${random.int(1, 9999)}): number {`,
      `  let total = ${random.int(1, 999)}`,
      '  for (const value of input) {',
      `    if (value > limit && value !== ${index}) {`,
      `      total += value * ${random.int(2, 99)}`,
      '      continue',
      '    }',
      `    console.log("${word} ${index} skipped", value)`,
      '  }',
      `  return total - ${index}`,
      '}',
      '',
    ];
    for (const line of made) size += line.length + 1;
    lines.push(...made);
  }
  return lines;
}

/** The four edits of one function. */
export function bigCases(): readonly BigCase[] {
  const lines = bigFileLines();
  const content = `${lines.join('\n')}\n`;
  const start = Math.floor(lines.length / FUNCTION_LINES) * FUNCTION_LINES - FUNCTION_LINES * FROM_THE_END;
  const block = lines.slice(start + 1, start + 10);
  const edit = (texts: readonly string[]): readonly string[] =>
    texts.map((line, index) => (index === 3 ? line.replace('total +=', 'total -=') : line));
  const want = `${[...lines.slice(0, start + 1), ...edit(block), ...lines.slice(start + 10)].join('\n')}\n`;
  const written = (name: BigCase['name'], garble: (line: string) => string, right: string | null): BigCase => {
    return { name, content, old: block.map(garble).join('\n'), new: edit(block).map(garble).join('\n'), want: right };
  };
  return [
    written('exact', (line) => line, want),
    written('indent', (line) => line.slice(2), want),
    written('typo', (line) => line.replace('skipped', 'skiped'), want),
    written('absent', (line) => line.replace(/total|value/g, 'missing'), null),
  ];
}
