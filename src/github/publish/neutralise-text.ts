// Takes the effects out of running text: mentions, closing words, commands of other bots, addresses that carry data (H2, H3). Pure.
import { closingPattern, openingOf } from './closing-words.ts';
import { decodeEntities } from './decode-entities.ts';

export interface TextRules {
  /** The only one who may be mentioned. */
  readonly requester: string;
  /** The only issue that closing words may name; null: none. */
  readonly closes: number | null;
  readonly host: string;
  /** In raw HTML backticks are no code, so other means are used. */
  readonly isHtml?: boolean;
}

const slashCommand = /^(\s*)\/(?=[a-z])/gim;
/** What has an effect, in one pass, so that nothing that was made harmless is touched again. */
const effects = new RegExp(
  [
    closingPattern,
    '(?<url>(?:https?://|(?<![a-z0-9.])www\\.)[^\\s<>()`]+)',
    // Not inside a word: that is an address and not a mention. After a backslash GitHub may have ended a link there.
    '(?:\\\\|(?<![a-z0-9]))@(?<name>[a-z0-9][a-z0-9-]{0,38}(?:/[\\w.-]{1,100})?)',
    // Within a word these mean nothing, and with a backslash in it a key would be none to the redactor, and one to the reader.
    '(?<=[a-z0-9])\\\\(?<inner>[_-])(?=[a-z0-9])',
    '(?<escape>\\\\[!-/:-@[-`{-~])',
    '(?<backtick>`)',
    // The parser takes some tags for text that GitHub takes for tags: `<img src=https://a/b>`, without quotes.
    '(?<tag><)(?=[a-z])',
  ].join('|'),
  'gi',
);

/**
 * `source` is a stretch of Markdown text without code, or of raw HTML outside of tags. `before`: the text that a reader sees just before
 * it, since a closing word may stand in bold and the issue beside it.
 */
export function neutraliseText(source: string, rules: TextRules, before = ''): string {
  const plain = decodeEntities(source).replace(slashCommand, (_, blank: string) =>
    rules.isHtml === true ? `${blank}&#8203;/` : `${blank}\\/`,
  );
  // Without a gap it is another word.
  const opening = /^[\s:]|[\s:]$/.test(`${plain.charAt(0)}${openingOf(before).slice(-1)}`) ? openingOf(before) : '';
  const harmless = `${opening}${plain}`.replace(effects, (...match) => neutraliseEffect(String(match[0]), match.at(-1), rules));
  return harmless.slice(opening.length);
}

type Groups = Readonly<Record<string, string | undefined>>;

function neutraliseEffect(all: string, groups: Groups, rules: TextRules): string {
  const { word, gap, reference, url, name, inner, backtick, tag } = groups;
  if (reference !== undefined) {
    const isMeant = rules.closes !== null && reference === `#${rules.closes}`;
    return isMeant ? all : `${word}${gap}${asCode(reference.replace('\\', ''), rules)}`;
  }
  if (url !== undefined) return isTellingUrl(url, rules.host) ? asCode(url, rules) : url;
  if (name !== undefined) {
    const isRequester = name.toLowerCase() === rules.requester.toLowerCase();
    return isRequester ? `@${name}` : asCode(`@${name}`, rules);
  }
  if (tag !== undefined) return '&lt;';
  if (inner !== undefined && rules.isHtml !== true) return inner;
  // A lone backtick is no code; it must not make some with those that are put in.
  return backtick !== undefined && rules.isHtml !== true ? '\\`' : all;
}

function asCode(text: string, rules: TextRules): string {
  if (rules.isHtml !== true) return `\`${text}\``;
  return text.replace(/[@#]/g, '$&&#8203;').replace('://', ':&#8203;//');
}

/** A foreign address that could carry data away when it is clicked (H2). */
function isTellingUrl(url: string, host: string): boolean {
  if (url.startsWith(`https://${host}/`)) return false;
  return url.length > 200 || /[?;@]|[A-Za-z0-9+/_-]{60}/.test(url);
}
