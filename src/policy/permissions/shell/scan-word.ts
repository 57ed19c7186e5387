// A word of bash, read a second time and strictly: what is plain text in it, what is not, and whether it is one word at all. Pure.
// The parser says where words begin and end; an allowed line must not depend on one reader of quotes alone.
import type { WordPart } from 'unbash';

/** `hole`: something whose text is only known when the command runs. `part`: what the parser takes it for; undefined for patterns and `~`. */
export type Piece =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'hole'; readonly part: WordPart | undefined; readonly isMany: boolean };

export type Scan =
  | { readonly isRead: true; readonly pieces: readonly Piece[] }
  | { readonly isRead: false; readonly problem: string };

/** `word`: a word of a command. `operand`: what stands in `${x:-…}`. `document`: the text of a here-document. */
export type ScanMode = 'word' | 'operand' | 'document';

export interface Scanned {
  readonly text: string;
  /** Of the first character, in the parser's positions. */
  readonly pos: number;
  readonly parts?: readonly WordPart[] | undefined;
}

/** Each up to the next character that means something there. */
const plain = {
  word: /[^ \t\n|&;()<>'"\\$`*?[{}~]+/y,
  operand: /[^'"\\$`{}()<>|&;~]+/y,
  document: /[^\\$`]+/y,
  quoted: /[^"\\$`]+/y,
} as const;

/** Words that are made of these alone are only that. */
const lonely = new Set(['[', '{', '}']);

/** Reads `scanned`. A problem means that it is not what the parser says, or that it is too odd to be sure. */
export function scanWord(scanned: Scanned, mode: ScanMode): Scan {
  return new WordScanner(scanned, mode).scan();
}

/** Why a word cannot be read; undefined when it can. */
type Problem = string | undefined;

class WordScanner {
  readonly #text: string;
  readonly #pos: number;
  readonly #mode: ScanMode;
  readonly #parts: ReadonlyMap<number, WordPart>;
  readonly #pieces: Piece[] = [];
  #at = 0;

  constructor({ text, pos, parts }: Scanned, mode: ScanMode) {
    this.#text = text;
    this.#pos = pos;
    this.#mode = mode;
    this.#parts = new Map(holesOf(parts ?? []).map((part) => [part.pos, part]));
  }

  scan(): Scan {
    if (this.#mode === 'word' && this.#text.startsWith('#')) return { isRead: false, problem: 'it begins with #' };
    if (this.#mode === 'word' && lonely.has(this.#text)) return { isRead: true, pieces: [{ kind: 'text', value: this.#text }] };
    while (this.#at < this.#text.length) {
      const problem = this.#readOne();
      if (problem !== undefined) return { isRead: false, problem };
    }
    return { isRead: true, pieces: this.#pieces };
  }

  #readOne(): Problem {
    const run = this.#take(plain[this.#mode]);
    if (run !== undefined) return this.#add(run);
    switch (this.#text[this.#at]) {
      case '\\':
        return this.#mode === 'document' ? this.#readQuotedEscape() : this.#readEscape();
      case "'":
        return this.#readSingleQuoted();
      case '"':
        return this.#readDoubleQuoted();
      case '$':
      case '`':
        return this.#readExpansion(this.#mode === 'document');
      case '<':
      case '>':
        return this.#readProcess();
      case '~':
        return this.#readTilde();
      case '*':
      case '?':
      case '[':
      case '{':
      case '}':
        return this.#readPattern();
      default:
        return `there is an unquoted ${JSON.stringify(this.#text[this.#at])} in it`;
    }
  }

  #readEscape(): Problem {
    if (this.#mode === 'operand') return 'there is a backslash in an expansion';
    const escaped = this.#text[this.#at + 1];
    if (escaped === undefined) return 'it ends in a backslash';
    this.#at += 2;
    return this.#add(escaped === '\n' ? '' : escaped);
  }

  #readSingleQuoted(): Problem {
    if (this.#mode === 'operand') return 'there is a quote in an expansion';
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) return 'a single quote is not closed';
    const quoted = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return this.#add(quoted);
  }

  #readDoubleQuoted(): Problem {
    if (this.#mode === 'operand') return 'there is a quote in an expansion';
    this.#at += 1;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined) return 'a double quote is not closed';
      if (next === '"') {
        this.#at += 1;
        return this.#add('');
      }
      const problem = this.#readQuoted();
      if (problem !== undefined) return problem;
    }
  }

  #readQuoted(): Problem {
    const run = this.#take(plain.quoted);
    if (run !== undefined) return this.#add(run);
    return this.#text[this.#at] === '\\' ? this.#readQuotedEscape() : this.#readExpansion(true);
  }

  #readQuotedEscape(): Problem {
    const escaped = this.#text[this.#at + 1] ?? '';
    const special = this.#mode === 'document' ? '$`\\\n' : '$`"\\\n';
    this.#at += 1 + escaped.length;
    if (escaped === '' || !special.includes(escaped)) return this.#add(`\\${escaped}`);
    return this.#add(escaped === '\n' ? '' : escaped);
  }

  #readExpansion(isQuoted: boolean): Problem {
    const part = this.#parts.get(this.#pos + this.#at);
    if (part === undefined) return this.#readDollar(isQuoted);
    const end = part.end - this.#pos;
    const text = this.#text.slice(this.#at, end);
    if (end <= this.#at || text !== part.text) return 'an expansion is not where it seems to be';
    if (part.type === 'AnsiCQuoted' && !/^\$'(?:[^'\\]|\\[\s\S])*'$/.test(text)) return "$'…' is not closed";
    const isNamed = part.type === 'SimpleExpansion' && /^\$[A-Za-z_]/.test(text);
    if (isNamed && /\w/.test(this.#text[end] ?? '')) return 'a name goes on after itself';
    this.#at = end;
    return this.#addHole(part, isQuoted ? isManyQuoted(part) : part.type !== 'AnsiCQuoted');
  }

  /** A dollar sign that begins nothing. */
  #readDollar(isQuoted: boolean): Problem {
    const next = this.#text[this.#at + 1] ?? '';
    const isExpansion = (isQuoted ? /[\w({[@*#?$!-]/ : /[\w({['"@*#?$!-]/).test(next);
    if (this.#text[this.#at] === '`' || isExpansion) return 'there is an expansion that is not read as one';
    this.#at += 1;
    return this.#add('$');
  }

  #readProcess(): Problem {
    const part = this.#parts.get(this.#pos + this.#at);
    if (part?.type !== 'ProcessSubstitution') return 'there is an unquoted < or > in it';
    this.#at = part.end - this.#pos;
    return this.#addHole(part, false);
  }

  #readTilde(): Problem {
    const before = this.#text[this.#at - 1];
    this.#at += 1;
    const isHome = before === undefined || before === '=' || before === ':';
    return isHome ? this.#addHole(undefined, false) : this.#add('~');
  }

  #readPattern(): Problem {
    if (this.#mode === 'operand') return 'there are braces in an expansion';
    // Braces with nothing in them are what they are, where there are no others around them.
    if (this.#text.startsWith('{}', this.#at) && !/[{},]/.test(this.#text.replace('{}', ''))) {
      this.#at += 2;
      return this.#add('{}');
    }
    this.#at += 1;
    return this.#addHole(undefined, true);
  }

  #take(run: RegExp): string | undefined {
    run.lastIndex = this.#at;
    const [text] = run.exec(this.#text) ?? [];
    if (text !== undefined) this.#at += text.length;
    return text;
  }

  #add(value: string): undefined {
    this.#pieces.push({ kind: 'text', value });
  }

  #addHole(part: WordPart | undefined, isMany: boolean): undefined {
    this.#pieces.push({ kind: 'hole', part, isMany });
  }
}

/** Only lists become several words within quotes. */
function isManyQuoted(part: WordPart): boolean {
  return (part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion') && part.text.includes('@');
}

/** The parts that are holes, also those within quotes and patterns. */
function holesOf(parts: readonly WordPart[]): readonly WordPart[] {
  return parts.flatMap((part) => {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
        return [];
      case 'DoubleQuoted':
        return holesOf(part.parts);
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
        return holesOf(part.parts ?? []);
      // `$"…"` is translated: it is whatever a catalogue makes of it. It is no hole that can be read.
      case 'LocaleString':
        return [];
      default:
        return [part];
    }
  });
}
