// The title that an agent's final message has in it: a heading that says something, or a first sentence that says what was done. Pure.
import { fromMarkdown } from 'mdast-util-from-markdown';
import { toPlainText } from './plain-text.ts';
import { maxOwnTitleChars } from './sanitize-title.ts';

/** A title stands at the top, or there is none. */
const maxReadChars = 4_000;

/** Headings of every report there is. */
const emptyHeading =
  /^(?:(?:the |a )?(?:short |brief |quick )?(?:summary|overview|changes?|results?|done|fix(?:es)?|solution|report|details?|notes?|conclusion|answer|update|completed?|explanation|analysis|root cause|what (?:i|was|has been|changed|is)\b.*|summary of\b.*|changes made.*|总结|摘要|概述|概要|修改|改动|更改|变更|结果|完成|说明|结论)(?: \(.*\))?)$/i;

/** Joy is no part of what was done. */
const interjection = /^(?:done|all done|ok(?:ay)?|great|success|sure)\s*[!.,:—–-]+\s*/i;
/** What a person says of themself before they say what they did. */
const opening = /^i(?:['’]ve| have)?\s+(?:now\s+|just\s+|also\s+)?/i;
const openingOfHan = /^(?:我)?(?:现在)?(?:已经|已)?(?:将)?/;

/** Words that a line about a change begins with. What is in no list is left to the thread's own title. */
const doing =
  /^(?:(?:re)?(?:add|allow|avoid|bump|catch|chang|check|clean|correct|creat|disabl|document|drop|enabl|ensur|escap|extend|extract|fix|format|guard|handl|hid|implement|improv|includ|introduc|keep|limit|load|mak|mention|merg|migrat|mov|nam|normali[sz]|order|pars|pass|port|prevent|refactor|remov|renam|render|repair|replac|resolv|respect|restor|return|revert|round|show|simplif|skip|sort|speed|stopp?|support|switch|tidi|tidy|translat|trim|updat|upgrad|us|validat|wir)(?:e|y|ed|ied|d)?|made|kept|wrote|rewrote|write|rewrite|split|put|set|cut|built|build|ran|run)\b/i;
const doingInHan =
  /^(?:修复|修正|修改|解决|添加|新增|增加|更新|删除|移除|去掉|重构|实现|优化|改进|补充|替换|调整|支持|处理|统一|改为|合并|升级|修)/;

/** The title in `message`, without what it may not have (see sanitizeTitle); null where it has none that is good enough. */
export function findOwnTitle(message: string): string | null {
  const { children } = fromMarkdown(message.slice(0, maxReadChars));
  const [first, second] = children;
  if (first === undefined) return null;
  if (first.type === 'heading') {
    const heading = toPlainText(first);
    if (!emptyHeading.test(withoutSigns(heading))) return asTitle(heading);
    return second?.type === 'paragraph' ? fromSentence(toPlainText(second)) : null;
  }
  return first.type === 'paragraph' ? fromSentence(toPlainText(first)) : null;
}

function fromSentence(paragraph: string): string | null {
  // A line that announces a list says nothing without it.
  const [sentence = ''] = withoutSigns(paragraph)
    .replace(interjection, '')
    .split(/(?<=[.!?])\s|(?<=[。！？])|\n/, 1);
  if (/[:：]\s*$/.test(sentence)) return null;
  const bare = withoutSigns(sentence).replace(opening, '').replace(openingOfHan, '');
  if (!(doing.test(bare) || doingInHan.test(bare))) return null;
  return asTitle(`${bare.slice(0, 1).toUpperCase()}${bare.slice(1)}`);
}

/** What is cut off in the middle is a worse title than the thread's. */
function asTitle(line: string): string | null {
  const title = withoutSigns(line)
    .replace(/[.。!！:：…\s]+$/u, '')
    .replace(/\s+/g, ' ');
  const isQuestion = /[?？]$/.test(title);
  const isEnough = /[\p{Script=Han}]/u.test(title) ? [...title].length >= 4 : title.split(' ').length >= 2;
  return isQuestion || !isEnough || title.length > maxOwnTitleChars ? null : title;
}

/** Pictures and ticks at the front are decoration. */
function withoutSigns(line: string): string {
  return line.replace(/^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Mn}|\p{Cf}|\u2713|\s)+/u, '').trim();
}
