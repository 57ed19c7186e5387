// One pattern in the language of .gitignore, matched in time linear in the path for each part of the pattern: heads of forks write such patterns.

/** `matches` takes a path relative to the pattern's folder, without a slash at its end. */
export interface PathPattern {
  readonly isNegated: boolean;
  /** It ended in a slash: it names folders only. */
  readonly isFolderOnly: boolean;
  matches(path: string): boolean;
}

type Token = { readonly kind: 'star' } | { readonly kind: 'one'; readonly accepts: (character: string) => boolean };
/** Undefined: a part that can match nothing, such as an open bracket. */
type Segment = readonly Token[] | undefined;
const anyFolders = 'any folders';

/** Reads a pattern as git's wildmatch does: `*` and `?` stay within a name, `**` between slashes spans folders. */
export function parsePathPattern(text: string): PathPattern {
  const isNegated = text.startsWith('!');
  const plain = isNegated ? text.slice(1) : text;
  const isFolderOnly = plain.endsWith('/');
  const body = isFolderOnly ? plain.slice(0, -1) : plain;
  return { isNegated, isFolderOnly, matches: body.includes('/') ? matcherOfPath(body) : matcherOfName(body) };
}

/** Most patterns are a plain name or an ending; these two cost a comparison where a walk asks each pattern about each file. */
function matcherOfName(body: string): (path: string) => boolean {
  const [, star = '', text = ''] = /^(\*?)([^*?[\\]+)$/.exec(body) ?? [];
  if (star !== '') return (path) => path.endsWith(text);
  if (text !== '') return (path) => path.endsWith(text) && (path.length === text.length || path.at(-text.length - 1) === '/');
  const segment = parseSegment(body);
  return (path) => matchesSegment(segment, path.slice(path.lastIndexOf('/') + 1));
}

function matcherOfPath(body: string): (path: string) => boolean {
  const parts = (body.startsWith('/') ? body.slice(1) : body).split('/');
  const isAllBelow = isGlobstar(parts.at(-1));
  const segments = parts.map((part) => (isGlobstar(part) ? anyFolders : parseSegment(part)));
  // `a/**` is what lies below `a`, not `a`: at least one name.
  if (isAllBelow) segments.push([{ kind: 'star' }]);
  return (path) => matchesAll(segments, path.split('/'));
}

function isGlobstar(part: string | undefined): boolean {
  return part !== undefined && /^\*{2,}$/.test(part);
}

/** Only the last `**` is ever taken back: what an earlier one could give up, the later one can take. */
function matchesAll(segments: readonly (Segment | typeof anyFolders)[], names: readonly string[]): boolean {
  return greedy(segments.length, names.length, {
    isWild: (at) => segments[at] === anyFolders,
    fits: (at, position) => {
      const segment = segments[at];
      return segment !== anyFolders && matchesSegment(segment, names[position] ?? '');
    },
  });
}

function matchesSegment(segment: Segment, name: string): boolean {
  if (segment === undefined) return false;
  return greedy(segment.length, name.length, {
    isWild: (at) => segment[at]?.kind === 'star',
    fits: (at, position) => {
      const token = segment[at];
      return token?.kind === 'one' && token.accepts(name[position] ?? '');
    },
  });
}

interface Fit {
  readonly isWild: (at: number) => boolean;
  readonly fits: (at: number, position: number) => boolean;
}

/** At most `patternLength` times `length` steps. */
function greedy(patternLength: number, length: number, { isWild, fits }: Fit): boolean {
  let at = 0;
  let position = 0;
  let wildAt = -1;
  let wildEnd = 0;
  while (position < length) {
    if (at < patternLength && isWild(at)) {
      wildAt = at++;
      wildEnd = position;
    } else if (at < patternLength && fits(at, position)) {
      at++;
      position++;
    } else if (wildAt >= 0) {
      at = wildAt + 1;
      position = ++wildEnd;
    } else return false;
  }
  while (at < patternLength && isWild(at)) at++;
  return at === patternLength;
}

function parseSegment(text: string): Segment {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
      at++;
    } else {
      const member = parseOne(text, at);
      if (member === undefined) return undefined;
      tokens.push({ kind: 'one', accepts: member.accepts });
      at = member.end;
    }
  }
  return tokens;
}

function parseOne(text: string, at: number): Member | undefined {
  if (text[at] === '?') return { accepts: () => true, end: at + 1 };
  if (text[at] === '[') return parseBracket(text, at + 1);
  if (text[at] === '\\' && at + 1 === text.length) return undefined;
  const { character, end } = characterAt(text, at);
  return { accepts: (other) => other === character, end };
}

interface Member {
  readonly accepts: (character: string) => boolean;
  /** Where the next one starts. */
  readonly end: number;
}

const posixClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class is just that
  cntrl: /[\u0000-\u001f\u007f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

function parseBracket(text: string, start: number): Member | undefined {
  const isNegated = text[start] === '!' || text[start] === '^';
  const first = isNegated ? start + 1 : start;
  const members: ((character: string) => boolean)[] = [];
  for (let at = first; at < text.length; ) {
    if (text[at] === ']' && at > first) {
      return { end: at + 1, accepts: (character) => members.some((member) => member(character)) !== isNegated };
    }
    const member = parseMember(text, at);
    if (member === undefined) return undefined;
    members.push(member.accepts);
    at = member.end;
  }
  return undefined;
}

/** A class, a range or a character. */
function parseMember(text: string, at: number): Member | undefined {
  const named = /^\[:([a-z]+):\]/.exec(text.slice(at, at + 12));
  if (named !== null) {
    const wanted = posixClasses[named[1] ?? ''];
    return wanted === undefined ? undefined : { end: at + named[0].length, accepts: (character) => wanted.test(character) };
  }
  const from = characterAt(text, at);
  if (text[from.end] !== '-' || text[from.end + 1] === ']' || text[from.end + 1] === undefined) {
    return { end: from.end, accepts: (character) => character === from.character };
  }
  const to = characterAt(text, from.end + 1);
  return { end: to.end, accepts: (character) => character >= from.character && character <= to.character };
}

function characterAt(text: string, at: number): { character: string; end: number } {
  const isEscape = text[at] === '\\' && at + 1 < text.length;
  return { character: text[isEscape ? at + 1 : at] ?? '', end: isEscape ? at + 2 : at + 1 };
}
