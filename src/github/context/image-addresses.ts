// Owns where a cleaned text shows pictures: inline images of Markdown and `img` elements. Judges no address; linear. Pure.
import { sourceOf, tagsOf } from './markup.ts';

/** More in one text are nobody's screenshots. */
const maxImages = 50;

/** The addresses of the pictures in `text`, which has no code in it, in their order. */
export function findImages(text: string): readonly string[] {
  return [...inMarkdown(text), ...inHtml(text)]
    .toSorted((left, right) => left.at - right.at)
    .slice(0, maxImages)
    .map(({ address }) => address);
}

interface Found {
  readonly at: number;
  readonly address: string;
}

/** Behind a backslash that is none itself it is a link, and so its words are all that is seen. */
function inMarkdown(text: string): readonly Found[] {
  const image = /(?<!\\)(?:\\\\)*!\[(?:[^[\]\n]|\[[^[\]\n]*\])*\]\([ \t]*(?:<([^<>\n]{1,2000})>|([^\s()<>]{1,2000}))[ \t]*\)/g;
  return Array.from(text.matchAll(image), (match) => ({ at: match.index, address: match[1] ?? match[2] ?? '' }));
}

function inHtml(text: string): readonly Found[] {
  return Array.from(tagsOf(text)).flatMap(({ start, name, isClosing, attributes }) => {
    const source = name === 'img' && !isClosing ? sourceOf(attributes) : undefined;
    return source === undefined ? [] : [{ at: start, address: source }];
  });
}
