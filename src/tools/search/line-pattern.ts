// A regular expression of the model's, matched line by line in time linear in the text (B12). Says what is wrong with one that cannot be.
import { isUtf8 } from 'node:buffer';

export interface LinePattern {
  readonly source: string;
  readonly ignoresCase: boolean;
  /** Of a line, only so many characters are looked at: the longer the pattern, the more each of them costs. */
  readonly maxLineChars: number;
  test(line: string): boolean;
  /** Where the match in a line begins; 0 when there is none. */
  indexIn(line: string): number;
  /** False: no line of the block matches. Many times faster than to ask for each line. */
  mayMatch(block: Buffer): boolean;
}

export type CompiledPattern =
  | { readonly kind: 'pattern'; readonly pattern: LinePattern }
  | { readonly kind: 'broken'; readonly problem: string };

const maxPatternChars = 1000;
/** Steps of the slow way through a text, when it has so many states that the fast one is given up: a third of a second. */
const maxSteps = 60_000_000;
/** Characters in a block of text, about. */
const blockChars = 256 * 1024;
/** Whatever the pattern. */
export const maxLineChars = 1024 * 1024;
/** Beyond this even short lines would be cut. */
const maxProgram = 10_000;

/** Compiles a pattern in the language of RE2, which is that of Go and nearly that of ripgrep: \d, \w, \s and \b mean ASCII. */
export async function compilePattern(source: string, ignoresCase: boolean): Promise<CompiledPattern> {
  if (source.length > maxPatternChars) {
    return broken(`it has ${source.length} characters, at most ${maxPatternChars} are taken`);
  }
  // It is large, and a run without a search starts without it.
  const { RE2JS, RE2JSSyntaxException } = await import('re2js');
  try {
    const expression = RE2JS.compile(source, RE2JS.MULTILINE | (ignoresCase ? RE2JS.CASE_INSENSITIVE : 0));
    const program = expression.programSize();
    if (program > maxProgram) return broken('its repetitions make it too large; use smaller numbers in {n,m}');
    const isForBlocks = program * blockChars <= maxSteps && !minds(source);
    return {
      kind: 'pattern',
      pattern: {
        source,
        ignoresCase,
        maxLineChars: Math.min(maxLineChars, Math.floor(maxSteps / program)),
        test: (line) => expression.test(line),
        indexIn: (line) => {
          const matcher = expression.matcher(line);
          return matcher.find() ? matcher.start() : 0;
        },
        mayMatch: (block) => !isForBlocks || block.includes(carriageReturn) || !isUtf8(block) || expression.test(block),
      },
    };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return broken(describeSyntax(source, error));
  }
}

const carriageReturn = 0x0d;

/** Whether the pattern can tell the ends of a line from those of a text: `\A`, `\z`, and flags that take `m` away. */
function minds(source: string): boolean {
  return /\\[Az]|\(\?[A-Za-z]*-?[A-Za-z]*m/.test(source);
}

function broken(problem: string): CompiledPattern {
  return { kind: 'broken', problem };
}

function describeSyntax(source: string, { error, input }: { readonly error: string; readonly input: string | null }): string {
  const at = input === null || input === source ? -1 : source.indexOf(input);
  const where = at < 0 ? '' : `: ${JSON.stringify(input)} at character ${at + 1}`;
  return `${error}${where}. ${adviceFor(source)}`;
}

function adviceFor(source: string): string {
  if (/\(\?<?[=!]/.test(source)) {
    return 'Lookahead and lookbehind are not known; search for the part that must be there and look at what was found.';
  }
  if (/\\[1-9]/.test(source)) return 'References back to a group, like \\1, are not known.';
  if (/^[*?]|^\*\*|\/\*\*/.test(source))
    return 'It looks like a pattern of file names: that goes into glob, or is for the tool glob.';
  return `To search for this very text write ${escapePattern(source)}`;
}

/** A pattern that matches just this text. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
