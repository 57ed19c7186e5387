// Whether an answer only says what its author is about to do. Pure; it would rather miss one than take an answer for one.
import { type Language, languages } from './announcement-words.ts';
import { blankCode } from './plain-text.ts';

/** Longer texts have something to tell. */
const mostChars = 600;
const mostSentences = 5;

/** That something was done: what follows is an outlook then, unless it is about this very moment. */
const result =
  /\b(?:fixed|added|updated|changed|removed|renamed|refactored|replaced|implemented|created|wrote|written|edited|moved|deleted|committed|completed|finished|resolved|done|pass(?:es|ed|ing)?|succeed(?:s|ed)?)\b|已|完成|修复了|通过|成功|behoben|geändert|hinzugefügt|aktualisiert|fertig|erledigt|corrigé|ajouté|modifié|terminé|corregid|añadid|actualizad|terminad|hecho|corrigid|adicionad|atualizad|concluíd|feito|исправ|обнов|добав|готов|проход|ました|完了/i;
const thisMoment = /\b(?:now|let me|jetzt|nun|maintenant|ahora|agora)\b|现在|马上|这就|让我|сейчас|теперь|これから|今から/i;

const gap = '[\\s,.!:;，。！：、—–-]*';
/** "To fix this, I'll…" */
const clause = '(?:[^,，:：]{1,80}[,，:：] ?)?';

/** Fences, headings, tables and several items are an answer, a numbered plan too; so is a question. */
const fence = /^\s*(?:```|~~~)/m;
const structure = /^\s*(?:#{1,6}\s|\|)|[?？]|第一步/m;
const item = /(?:^|\s)(?:[-*+•]|\d{1,3}[.)、])\s/gm;

/**
 * Whether `text` ends in "I'll now…" and has nothing to tell before it. Without `canChange` there is no tool that changes anything: what is
 * said of changes is a plan then, and only what is said of looking is left to be done.
 */
export function isAnnouncement(text: string, { canChange }: { readonly canChange: boolean }): boolean {
  if (text.length > mostChars || fence.test(text)) return false;
  const plain = blankCode(text);
  if (structure.test(plain) || [...plain.matchAll(item)].length > 1) return false;
  const sentences = sentencesOf(plain);
  const last = sentences.at(-1);
  if (last === undefined || sentences.length > mostSentences) return false;
  if (!languages.some((language) => announces(last, language, canChange))) return false;
  return thisMoment.test(last) || !sentences.slice(0, -1).some((sentence) => result.test(sentence));
}

function announces(sentence: string, language: Language, canChange: boolean): boolean {
  const { hasSpaces, isVerbLast = false, fillers, intents, looks, changes, looksAlone, changesAlone, elsewhen } = language;
  const any = (...words: readonly (string | false | undefined)[]): string => {
    const alternatives = words.filter((word) => typeof word === 'string').join('|') || '(?!)';
    return hasSpaces ? `(?<!\\p{L})(?:${alternatives})(?!\\p{L})` : `(?:${alternatives})`;
  };
  const filled = `(?:${any(fillers)}${gap})*`;
  const verb = any(looks, canChange && changes);
  const work = isVerbLast ? `[^はが]*?${verb}(?=\\s*(?:[.!…:。！：]*$|,))` : `${filled}${verb}`;
  const opening = `(?:${any(intents)}${gap}${work}|${any(looksAlone, canChange && changesAlone)})`;
  return new RegExp(`^${clause}${filled}${opening}`, 'iu').test(sentence) && !new RegExp(any(elsewhen), 'iu').test(sentence);
}

/** A colon after a letter that is written without spaces ends a sentence, too: what it announced follows. */
function sentencesOf(plain: string): readonly string[] {
  return plain
    .split(/(?<=[.!…:])\s+|(?<=[。！：])|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]:)|\n+/u)
    .map((sentence) =>
      sentence
        .replaceAll(/[*_~]+/g, '')
        .replaceAll(/\s+/g, ' ')
        .replace(/^[\s•-]+/, ''),
    )
    .filter((sentence) => /\p{L}/u.test(sentence));
}
