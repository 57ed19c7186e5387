// Owns what a reader does not see of Markdown and HTML markup (B4): attributes, titles, alternative texts, unused definitions, entities; and tags.

/** `text` (without code) reduced to what is seen; `dropped` says what was taken out, in words. */
export function removeHiddenMarkup(text: string): { readonly text: string; readonly dropped: readonly string[] } {
  const passes = [
    ['image texts, link titles or unused definitions', removeHiddenLinkText],
    ['hidden HTML elements', removeHiddenElements],
    ['HTML attributes', removeAttributes],
  ] as const;
  const dropped: string[] = [];
  const seen = passes.reduce((before, [what, pass]) => {
    const after = pass(before);
    if (after.length < before.length) dropped.push(what);
    return after;
  }, text);
  return { text: seen, dropped };
}

function removeHiddenLinkText(text: string): string {
  const labels = new Set(Array.from(text.matchAll(/\[([^[\]\n]+)\](?!:)/g), (match) => (match[1] ?? '').toLowerCase()));
  return text
    .replaceAll(
      /^( {0,3}\[([^[\]\n]+)\]:[ \t]*)(\S*)([^\n]*)(?:\n[ \t]+["'(][^\n]*)?/gm,
      (all, head: string, label: string, target: string) => {
        if (!labels.has(label.toLowerCase())) return '';
        // The text of a footnote is seen, a link's title is not.
        return label.startsWith('^') ? all : head + target;
      },
    )
    .replaceAll(/!\[[^[\]\n]*\]/g, '![image]')
    .replaceAll(/(?<=\])\(([^()\s]*)[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\))[ \t]*\)/g, '($1)');
}

interface Tag {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly isClosing: boolean;
  readonly attributes: string;
}

/** A longer tag is taken for text, which bounds the work for quotes that nobody closes. */
const maxTagLength = 2_048;

/** Tags in their order; what is within quotes ends none. */
export function* tagsOf(text: string): Iterable<Tag> {
  const opening = /<(\/?)([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])/g;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [head, slash, name = ''] = match;
    const from = opening.lastIndex;
    const length = lengthToEnd(text.slice(from, from + maxTagLength));
    if (length < 0) continue;
    const end = from + length;
    opening.lastIndex = end;
    const attributes = text.slice(match.index + head.length, end - 1);
    yield { start: match.index, end, name: name.toLowerCase(), isClosing: slash === '/', attributes };
  }
}

/** What is left of a tag, its end included and quotes considered; -1 when it does not end there. */
function lengthToEnd(text: string): number {
  const mark = /["'>]/g;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (match[0] === '>') return mark.lastIndex;
    const close = text.indexOf(match[0], mark.lastIndex);
    if (close < 0) return -1;
    mark.lastIndex = close + 1;
  }
  return -1;
}

interface Attribute {
  readonly name: string;
  /** As it is written, quotes included. */
  readonly written: string;
  readonly value: string;
}

/** The attributes of a tag by their names; of two with one name the first counts, as in a browser. What is within quotes is no attribute. */
function attributesOf(attributes: string): ReadonlyMap<string, Attribute> {
  const found = new Map<string, Attribute>();
  for (const match of attributes.matchAll(/([^\s"'>/=]+)(?:\s*=\s*("([^"]*)"|'([^']*)'|[^\s"'>]+))?/g)) {
    const [, written = '', raw = '', double, single] = match;
    const name = written.toLowerCase();
    if (!found.has(name)) found.set(name, { name: written, written: raw, value: (double ?? single ?? raw).trim() });
  }
  return found;
}

/** What `src` says, of the attributes of one tag. */
export function sourceOf(attributes: string): string | undefined {
  return attributesOf(attributes).get('src')?.value;
}

/** Nothing can stand in them, so that nothing closes them. */
const voidElements: readonly string[] = [
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
];

/** Hidden elements with all that they hold; never closed: to the end. */
function removeHiddenElements(text: string): string {
  let kept = '';
  let at = 0;
  let hidden: { readonly name: string; depth: number } | null = null;
  for (const tag of tagsOf(text)) {
    if (hidden === null && !tag.isClosing && isHidden(tag)) {
      kept += text.slice(at, tag.start);
      hidden = { name: tag.name, depth: 0 };
    }
    if (hidden?.name !== tag.name) continue;
    if (!voidElements.includes(tag.name)) hidden.depth += tag.isClosing ? -1 : 1;
    if (hidden.depth > 0) continue;
    hidden = null;
    at = tag.end;
  }
  return hidden === null ? kept + text.slice(at) : kept;
}

function removeAttributes(text: string): string {
  let kept = '';
  let at = 0;
  for (const tag of tagsOf(text)) {
    kept += `${text.slice(at, tag.start)}<${tag.isClosing ? '/' : ''}${tag.name}${seenAttributes(tag.attributes)}>`;
    at = tag.end;
  }
  return kept + text.slice(at);
}

/** In pixels: no reader sees what is on a smaller picture, and a model would. */
const leastSide = 8;

function isHidden({ name, attributes }: Tag): boolean {
  const all = attributesOf(attributes);
  // A number that is none says nothing.
  const isSmall = (side: string): boolean => Number.parseFloat(all.get(side)?.value ?? '') < leastSide;
  return all.has('hidden') || (name === 'img' && (isSmall('width') || isSmall('height')));
}

/** Where a link or an image points to is the only thing that says something. */
function seenAttributes(attributes: string): string {
  const all = attributesOf(attributes);
  return ['href', 'src']
    .map((name) => all.get(name))
    .map((one) => (one?.written ? ` ${one.name}=${one.written}` : ''))
    .join('');
}

/** The names that write what is invisible, and the five that everybody uses; others stay as they are written. */
const namedEntities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' },
  ...{ shy: '\u00ad', zwj: '\u200d', zwnj: '\u200c', lrm: '\u200e', rlm: '\u200f', NoBreak: '\u2060' },
  ...{ ZeroWidthSpace: '\u200b', InvisibleTimes: '\u2062', it: '\u2062', InvisibleComma: '\u2063', ic: '\u2063' },
  ...{
    ApplyFunction: '\u2061',
    af: '\u2061',
    NegativeThinSpace: '\u200b',
    NegativeMediumSpace: '\u200b',
    NegativeThickSpace: '\u200b',
  },
};

/** Numeric entities and the names above as the characters that they mean; decoded once, as a browser does. */
export function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,24}));/g,
    (all, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return namedEntities[name] ?? all;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      // E000 and E001 are the marks that stand for code (sanitize.ts).
      const isScalar = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && code !== 0xe000 && code !== 0xe001;
      return isScalar ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}
