/** Prints the demo's findings as a person would read them. Plain text; colours on a terminal only. */

export interface Page {
  heading(text: string): void;
  /** A comment or a description, in its author's name. */
  post(by: string, text: string): void;
  diff(text: string): void;
  line(text: string): void;
  /** A claim that the demo makes, and whether it holds. */
  claim(text: string, holds: boolean): void;
}

const WIDTH = 100;
const CODES = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 } as const;

/** A page that is written line by line. */
export function createPage(write: (text: string) => void, hasColours: boolean): Page {
  const paint = (code: keyof typeof CODES, text: string): string =>
    hasColours ? `\u001b[${CODES[code]}m${text}\u001b[0m` : text;
  const line = (text: string): void => write(`${text}\n`);
  const diffColour = (text: string): string => {
    if (/^(\+\+\+|---|diff |index )/.test(text)) return paint('dim', text);
    if (text.startsWith('+')) return paint('green', text);
    return text.startsWith('-') ? paint('red', text) : text;
  };
  return {
    line,
    heading: (text) => line(`\n${paint('bold', text)}\n${'─'.repeat(Math.min(WIDTH, text.length))}`),
    post(by, text) {
      line(`\n${paint('cyan', by)}`);
      for (const paragraph of visible(text)) for (const row of wrap(paragraph)) line(`  │ ${row}`);
    },
    diff(text) {
      line('');
      for (const row of text.trimEnd().split('\n')) line(`  ${diffColour(row)}`);
    },
    claim: (text, holds) => line(`${holds ? paint('green', '✓') : paint('red', '✗')} ${text}`),
  };
}

/** What GitHub would show: links by their text, folded parts by their title and content, hidden marks not at all. */
function visible(markdown: string): readonly string[] {
  return markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\[([^\]\n]+)\]\([^)\s]+\)/g, '$1')
    .replace(/<details><summary>(.*?)<\/summary>/g, '▾ $1')
    .replace(/<\/details>\n*/g, '')
    .trim()
    .split('\n');
}

/** Breaks at blanks; a long word stays whole. */
function wrap(paragraph: string): readonly string[] {
  const rows: string[] = [];
  let rest = paragraph;
  while (rest.length > WIDTH) {
    const blank = rest.lastIndexOf(' ', WIDTH);
    if (blank <= 0) break;
    rows.push(rest.slice(0, blank));
    rest = rest.slice(blank + 1);
  }
  return [...rows, rest];
}
