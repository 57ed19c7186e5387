// Whether an answer only says what its author is about to do. Pure; it would rather miss one than take an answer for one.
import { blankCode } from './plain-text.ts';

/** Longer texts have something to tell. */
const mostChars = 600;
const mostSentences = 5;

/** A language's words, as alternatives of a pattern. */
interface Language {
  readonly hasSpaces: boolean;
  /** Before and after the intent. */
  readonly fillers: string;
  readonly intents: string;
  /** Right after the intent they make it waiting, an offer or an opinion. */
  readonly otherVerbs?: string;
  /** Anywhere in the sentence they make it a condition, or a matter of another day. */
  readonly elsewhen: string;
}

const languages: readonly Language[] = [
  {
    hasSpaces: true,
    fillers: 'ok|okay|alright|right|great|good|perfect|sure|understood|now|next|first|then|so|and|finally|also|just|quickly',
    intents:
      "i['’]ll|i will|i['’]m going to|i am going to|i['’]m about to|i am about to|i need to|i have to|i must|i should|let me|let['’]s|let us|" +
      "we['’]ll|we will|we need to|i['’]m now going to|going to|proceeding to|moving on to",
    otherVerbs:
      'be|know|wait|await|leave|stop|keep|remain|stay|follow|let|not|never|always|gladly|happily|note|mention|point|say|admit|ask|' +
      'assume|skip|refrain|avoid|hold|appreciate|recommend|suggest|have|hear|get back|see you|respond|reply|need|decide|go with|ship|talk',
    elsewhen:
      '(?:if|once|when|unless|until|as soon as|after) (?:you|needed|necessary|approved|confirmed|wanted|requested)|' +
      '^(?:if|once|when|whenever|unless|should|after|as soon as)|from now on|going forward|in future|in the future|next time|later|' +
      'tomorrow|follow-?up|separate|separately|another (?:run|pr|pull request)',
  },
  {
    hasSpaces: true,
    fillers: 'gut|ok|okay|verstanden|also',
    intents:
      'ich werde|ich muss|ich will|lass mich|lasst uns|lassen sie mich|wir werden|(?:jetzt|nun|als nächstes|zuerst|zunächst|dann) \\p{L}+ ich|' +
      'ich \\p{L}+ (?:jetzt|nun|zuerst|zunächst|als nächstes)',
    elsewhen: 'nicht|warte|warten|freue|bleibe|wissen|empfehle|würde|wenn|falls|sobald|sofern|später|künftig',
  },
  {
    hasSpaces: true,
    fillers: "bon|bien|très bien|d['’]accord|ok|parfait|compris|maintenant|ensuite|d['’]abord|à présent|puis",
    intents: "je vais|je dois|je m['’]apprête à|laisse-moi|laissez-moi|permettez-moi|nous allons|allons",
    otherVerbs: 'attendre|rester|être|laisser|vous laisser|savoir|recommander',
    elsewhen: 'si|lorsque|quand|dès que|plus tard|pas',
  },
  {
    hasSpaces: true,
    fillers: 'bien|vale|de acuerdo|ok|perfecto|entendido|ahora|a continuación|primero|luego|entonces',
    intents: 'voy a|vamos a|déjame|permíteme|necesito|tengo que|procedo a|procederé a',
    otherVerbs: 'esperar|estar|saber|quedar|quedarme|recomendar|que',
    elsewhen: 'si|cuando|en cuanto|más tarde|no',
  },
  {
    hasSpaces: true,
    fillers: 'certo|ok|bem|perfeito|entendido|agora|primeiro|em seguida|então|eu',
    intents: 'vou|vamos|irei|deixe-me|deixa-me|preciso',
    otherVerbs: 'esperar|aguardar|ficar|estar|saber|recomendar|que',
    elsewhen: 'se|quando|assim que|mais tarde|não',
  },
  {
    hasSpaces: true,
    fillers: 'хорошо|отлично|ок|итак|понятно|затем|далее',
    intents:
      'давайте|позвольте|мне нужно|(?:сейчас|теперь|сначала) (?:я )?\\p{L}+[юу]|я (?:сейчас |теперь |сначала )?\\p{L}{3,}[юу]',
    elsewhen: 'жду|подожду|буду|рекомендую|советую|думаю|считаю|могу|хочу|не|если|когда|позже',
  },
  {
    hasSpaces: false,
    fillers: '好的?|好吧|明白了?|了解了?|收到|那么?|现在|接下来|下面|首先|然后|下一步|于是|所以|因此|马上|这就|先|就|再|也',
    intents:
      '我们?(?:现在|接下来|马上|首先|这就|先|就|再|也)*(?:将|会|要|来|去|需要|打算|准备|得|把)|我们?(?:现在|马上|这就|先(?!前))|让我们?|咱们|开始|正在',
    otherVerbs: '等|不|认为|建议|保持|负责|知道',
    elsewhen: '乐意|随时|关注|观察|如果|若|要是|一旦|的话|如需|以后|今后|下次|稍后|将来',
  },
  // Its verb comes last: without one that is polite and ahead, the opening announces nothing.
  {
    hasSpaces: false,
    fillers: 'はい|承知しました|わかりました',
    intents: 'では|それでは|次に|まず|これから|今から|続いて|早速',
    elsewhen: '(?<!(?:ます|ましょう)[。.!！…：:]{0,3})$|待ち|ください|場合|なら|後で|お願い|思います|あります',
  },
];

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

/** Whether `text` ends in "I'll now…" and has nothing to tell before it; in English, Chinese and some other languages. */
export function isAnnouncement(text: string): boolean {
  if (text.length > mostChars || fence.test(text)) return false;
  const plain = blankCode(text);
  if (structure.test(plain) || [...plain.matchAll(item)].length > 1) return false;
  const sentences = sentencesOf(plain);
  const last = sentences.at(-1);
  if (last === undefined || sentences.length > mostSentences) return false;
  if (!languages.some((language) => announces(last, language))) return false;
  return thisMoment.test(last) || !sentences.slice(0, -1).some((sentence) => result.test(sentence));
}

function announces(sentence: string, { hasSpaces, fillers, intents, otherVerbs, elsewhen }: Language): boolean {
  const any = (words: string): string => (hasSpaces ? `(?<!\\p{L})(?:${words})(?!\\p{L})` : `(?:${words})`);
  const filled = `(?:${any(fillers)}${gap})*`;
  const opening = new RegExp(`^${clause}${filled}${any(intents)}${gap}${filled}`, 'iu').exec(sentence)?.[0];
  if (opening === undefined || new RegExp(any(elsewhen), 'iu').test(sentence)) return false;
  return otherVerbs === undefined || !new RegExp(`^${any(otherVerbs)}`, 'iu').test(sentence.slice(opening.length));
}

function sentencesOf(plain: string): readonly string[] {
  return plain
    .split(/(?<=[.!…:])\s+|(?<=[。！：])|\n+/)
    .map((sentence) =>
      sentence
        .replaceAll(/[*_~]+/g, '')
        .replaceAll(/\s+/g, ' ')
        .replace(/^[\s•-]+/, ''),
    )
    .filter((sentence) => /\p{L}/u.test(sentence));
}
