// The words in which models say what they are about to do, by language, as alternatives of patterns. Data only.

/**
 * An announcement is an intent and a verb of work ("let me" + "check"), or both in one word (`looksAlone`, `changesAlone`). Verbs of looking
 * need a tool that reads, verbs of changing one that writes or runs. All other verbs (explain, recommend, wait…) announce no work.
 */
export interface Language {
  /** Without spaces a word begins and ends anywhere. */
  readonly hasSpaces: boolean;
  /** The verb is at the end of the sentence, or before a comma. */
  readonly isVerbLast?: boolean;
  /** Before the intent, and between intent and verb. */
  readonly fillers: string;
  readonly intents: string;
  readonly looks: string;
  readonly changes: string;
  readonly looksAlone?: string;
  readonly changesAlone?: string;
  /** Anywhere in the sentence they make it a condition, or a matter of another day. */
  readonly elsewhen: string;
}

const english: Omit<Language, 'intents'> = {
  hasSpaces: true,
  fillers:
    'ok|okay|alright|right|great|good|perfect|sure|understood|now|next|first|then|so|and|finally|also|just|quickly|carefully|actually|' +
    'go ahead and|try to|(?:get started|start|begin|continue|proceed|go on)(?: by| with| to)?|help you|help|take another pass and',
  looks: withGerunds(
    'look,check(?! (?:back|in|out)\\b),double-?check,see(?! an? ),read,view,inspect,examine,explore,search,find,grep,investigate,analy[sz]e,review,trace,' +
      'understand,verify,confirm,compare,determine,identify,figure out,gather,locate,scan,browse,list,study,dig,dive',
    '(?:take|have|get) (?:a|another) (?:\\p{L}+ )?(?:look|overview|picture)|(?:taking|having) (?:a|another) (?:\\p{L}+ )?look',
    'open (?:the|it|up|that|this)|make sure(?! to)',
  ),
  changes: withGerunds(
    'update(?! you\\b),edit,change,modify,fix,correct,patch,add(?! that\\b),write,implement,remove,delete,rename,replace,refactor,rewrite,' +
      'restructure,move(?! on\\b),apply,adjust,tweak,address,resolve,solve,handle,debug,reproduce,run(?! (?:out|into)\\b),execute,rerun,re-run,' +
      'test,build,install,compile,format,lint,generate,regenerate,clean up,set up,configure,convert,extract,split,merge,wire,improve,simplify,' +
      'optimi[sz]e,revert,restore,undo,commit,work on,introduce,prepare,create(?! (?:an?|the) (?:pull request|pr|issue|ticket)\\b)',
    'make (?:the|these|those|that|this|an?|some)|do (?:that|this|it|so)|try (?:an?|another|the|this|that|it|out|running)',
    '(?:continue|proceed)(?: with| on)?|(?:start|begin) (?:with|on) the (?:fix|implementation|change|changes|tests?|code|refactoring)',
  ),
  elsewhen:
    '(?:if|once|when|unless|until|as soon as|after) (?:you|needed|necessary|approved|confirmed|wanted|requested)|' +
    '^(?:if|once|when|whenever|unless|should|after|as soon as)|from now on|going forward|in future|in the future|next time|later|' +
    "tomorrow|follow-?up|separate|separately|another (?:run|pr|pull request)|we(?:['’]ll| will| shall) see",
};

const infinitive = (verbs: string, suffix: string): string => `(?:${verbs})${suffix}`;
const clitic = '(?:lo|la|los|las|le|les|me|te|nos)?';

export const languages: readonly Language[] = [
  {
    ...english,
    intents:
      "i['’]ll|i will|i['’]m going to|i am going to|i['’]m about to|i am about to|i need to|i have to|i must|i should|let me|let['’]s|let us|" +
      "we['’]ll|we will|i['’]m now going to|going to|proceeding to|moving on to|time to",
  },
  // What "we" need may be advice; who needs to look has not looked.
  { ...english, intents: 'we need to', changes: '(?!)' },
  {
    hasSpaces: true,
    isVerbLast: true,
    fillers: 'gut|ok|okay|verstanden|also|jetzt|nun|als nächstes|zuerst|zunächst|dann|danach',
    intents: 'ich werde|ich muss|ich will|lass mich|lasst uns|lassen sie mich|wir werden|werde ich|muss ich',
    looks:
      'ansehen|anschauen|prüfen|überprüfen|lesen|suchen|durchsuchen|untersuchen|analysieren|nachsehen|nachschauen|finden|erkunden|' +
      'verschaffen|vergleichen|verifizieren|einlesen',
    changes:
      'ändern|anpassen|beheben|korrigieren|aktualisieren|hinzufügen|ergänzen|erstellen|anlegen|schreiben|umsetzen|implementieren|entfernen|' +
      'löschen|umbenennen|ersetzen|ausführen|starten|testen|reparieren|fixen|bearbeiten|einbauen|umbauen|überarbeiten|refaktorieren|' +
      'beginnen|anfangen|fortfahren|machen|erledigen',
    looksAlone:
      '(?:jetzt|nun|als nächstes|zuerst|zunächst|dann) (?:prüfe|überprüfe|lese|suche|untersuche|analysiere|(?:sehe|schaue) (?=ich mir)) ?ich|' +
      'ich (?:prüfe|überprüfe|lese|suche|untersuche|analysiere|(?:sehe|schaue) mir) (?:jetzt|nun|zuerst|zunächst|als nächstes)|' +
      '(?:schauen|sehen) wir uns',
    changesAlone:
      '(?:jetzt|nun|als nächstes|zuerst|zunächst|dann) (?:aktualisiere|ändere|schreibe|erstelle|ergänze|füge|entferne|lösche|ersetze|führe|' +
      'starte|teste|behebe|korrigiere|passe|implementiere|bearbeite|baue|beginne) ich|' +
      'ich (?:aktualisiere|ändere|schreibe|erstelle|ergänze|füge|entferne|lösche|ersetze|führe|starte|teste|behebe|korrigiere|passe|' +
      'implementiere|bearbeite|baue|beginne) (?:jetzt|nun|zuerst|zunächst|als nächstes)',
    elsewhen: 'nicht|warte|warten|wissen|empfehle|würde|wenn|falls|sobald|sofern|später|künftig|nie',
  },
  {
    hasSpaces: true,
    fillers:
      "bon|bien|très bien|d['’]accord|ok|parfait|compris|maintenant|ensuite|d['’]abord|à présent|puis|donc|commencer par|essayer de|le|la|les|" +
      'l|y|en|vous|te',
    intents: "je vais|je dois|je m['’]apprête à|laisse-moi|laissez-moi|permettez-moi de|nous allons|allons",
    looks:
      'regarder|lire|relire|vérifier|examiner|chercher|rechercher|analyser|inspecter|explorer|consulter|voir|ouvrir|comprendre|comparer|' +
      'parcourir|jeter un',
    changes:
      'modifier|corriger|ajouter|créer|exécuter|lancer|mettre à jour|écrire|implémenter|appliquer|supprimer|renommer|remplacer|refactoriser|' +
      "tester|continuer|procéder|résoudre|installer|déplacer|simplifier|adapter|réécrire|générer|changer|éditer|réparer|m['’]en occuper",
    looksAlone: 'regardons|voyons|vérifions|lisons|examinons|commençons par (?:lire|regarder|examiner|explorer|vérifier)',
    changesAlone: 'corrigeons|lançons|exécutons|modifions|ajoutons',
    elsewhen: "^si|si (?:vous|tu|on|nécessaire|besoin)|s[’']il|lorsque|quand|dès que|plus tard",
  },
  {
    hasSpaces: true,
    fillers:
      'bien|vale|de acuerdo|ok|perfecto|entendido|ahora|a continuación|primero|luego|entonces|empezar por|comenzar por|intentar',
    intents: 'voy a|vamos a|déjame|permíteme|necesito|tengo que|procedo a|procederé a',
    looks: infinitive(
      'ver|revisar|leer|mirar|comprobar|verificar|examinar|buscar|analizar|inspeccionar|explorar|investigar|consultar|abrir|comparar|entender|' +
        'echar',
      clitic,
    ),
    changes: infinitive(
      'modificar|corregir|añadir|agregar|crear|ejecutar|actualizar|escribir|implementar|aplicar|eliminar|borrar|renombrar|reemplazar|sustituir|' +
        'refactorizar|probar|continuar|proceder|resolver|instalar|mover|simplificar|adaptar|reescribir|generar|cambiar|editar|arreglar|hacer|lanzar',
      clitic,
    ),
    looksAlone: 'veamos|revisemos',
    elsewhen: '^si|si (?:quieres|quiere|prefieres|lo|me|te|es|hace falta)|cuando|en cuanto|más tarde',
  },
  {
    hasSpaces: true,
    fillers: 'certo|ok|bem|perfeito|entendido|agora|primeiro|em seguida|então|eu|começar por|tentar',
    intents: 'vou|vamos|irei|deixe-me|deixa-me|preciso',
    looks: infinitive(
      'ver|verificar|ler|olhar|examinar|procurar|buscar|analisar|inspecionar|explorar|investigar|consultar|conferir|abrir|comparar|entender|' +
        'dar uma',
      '(?:-l[oa]s?)?',
    ),
    changes: infinitive(
      'modificar|corrigir|adicionar|criar|executar|rodar|atualizar|escrever|implementar|aplicar|remover|excluir|apagar|renomear|substituir|' +
        'refatorar|testar|continuar|prosseguir|resolver|instalar|mover|simplificar|adaptar|reescrever|gerar|alterar|mudar|editar|consertar|fazer',
      '(?:-l[oa]s?)?',
    ),
    elsewhen: '^se|se (?:quiser|você|for|preferir|precisar|necessário)|quando|assim que|mais tarde',
  },
  {
    hasSpaces: true,
    fillers: 'хорошо|отлично|ок|итак|понятно|затем|далее|сейчас|теперь|сначала|я|мне|это',
    intents: 'давайте|позвольте|нужно|надо|я собираюсь',
    looks:
      'посмотрим|проверим|изучим|найд[её]м|откроем|прочитаем|разбер[её]мся|посмотреть|проверить|увидеть|прочитать|найти|изучить|открыть|' +
      'понять|взглянуть',
    changes:
      'запустим|исправим|обновим|начн[её]м|добавим|создадим|изменим|напишем|изменить|исправить|обновить|добавить|запустить|создать|написать|' +
      'внести|удалить|заменить|начать',
    looksAlone: 'посмотрю|проверю|прочитаю|прочту|открою|найду|изучу|просмотрю|поищу|проанализирую|выясню|загляну',
    changesAlone:
      'исправлю|обновлю|изменю|добавлю|запущу|создам|напишу|внесу|удалю|заменю|перепишу|переименую|попробую|выполню|сделаю|продолжу|применю|' +
      'реализую|приступлю|начну|поправлю|протестирую',
    elsewhen: 'если|когда|позже|потом|завтра',
  },
  {
    hasSpaces: false,
    fillers:
      '好的?|好吧|明白了?|了解了?|收到|那么?|现在|接下来|下面|首先|然后|下一步|于是|所以|因此|马上|这就|先|就|再|也|来|去|帮[你您]|为[你您]|仔细|直接|逐一|尝试|试着',
    intents:
      '我们?(?:现在|接下来|马上|首先|这就|先|就|再|也)*(?:将|会|要|来|去|打算|准备|得)|我(?:现在|接下来|首先|先|还)*需要|我们?(?:现在|马上|这就|先(?!前))|让我们?|咱们|' +
      '开始|正在',
    looks:
      '(?:查看|看|检查|阅读|读取|读|打开|搜索|查找|找|分析|研究|了解|探索|浏览|确认|验证|对比|比较|定位|排查|调查|审查)(?![了过的])',
    changes:
      '(?:运行|执行|测试|修改|更改|更新|修复|修正|解决|添加|增加|新增|创建|新建|编写|写|实现|删除|移除|重命名|替换|重构|调整|优化|安装|配置|试|提交|应用|处理|继续|' +
      '开始|进行|整理|补充|完善|改|动手|着手|重写|[把将][^，。,]{1,20}?(?:改|替换|移|删|加|换|更新|提取|拆|重命名))(?![了过的])',
    elsewhen: '乐意|随时|关注|观察|如果|若|要是|一旦|的话|如需|以后|今后|下次|稍后|将来|才[能可]|留给|交给',
  },
  // "我们需要" may be advice, as "we need to" is.
  {
    hasSpaces: false,
    fillers: '现在|接下来|首先|所以|因此|先|再|来|去',
    intents: '我们(?:现在|接下来|首先|先|还)*需要',
    looks: '(?:查看|看|检查|阅读|读取|打开|搜索|查找|找|分析|了解|确认|定位|排查)(?![了过的])',
    changes: '(?!)',
    elsewhen: '才[能可]|如果|以后',
  },
  {
    hasSpaces: false,
    isVerbLast: true,
    fillers: 'はい|承知しました|わかりました',
    intents: 'では|それでは|次に|まずは?|これから(?![はの])|今から|続いて|早速|最初に',
    looks: japanese('確認|調査|検索|検証|分析|チェック', '見|見てみ|見ていき|読み|読んでみ|調べ|調べてみ|探し|開き'),
    changes: japanese(
      '修正|更新|変更|追加|実行|作成|削除|実装|テスト|置換|適用|編集|対応|リファクタリング|インストール|整理|改善',
      '直し|書き|書き換え|書き直し|始め|進め',
    ),
    elsewhen: 'ください|場合|なら|後で|お願い',
  },
  {
    hasSpaces: true,
    isVerbLast: true,
    fillers: '네|좋습니다|알겠습니다',
    intents: '이제|먼저|우선|다음으로|그럼|그러면|지금',
    looks: '(?:확인|검토|분석|검색|조사|파악)(?:해 ?보|하)겠습니다|(?:살펴|읽어|찾아) ?보겠습니다|읽겠습니다',
    changes: '(?:수정|실행|추가|테스트|업데이트|작성|변경|삭제|구현|교체|적용|생성|진행|시작)(?:해 ?보|하)겠습니다|고치겠습니다',
    elsewhen: '나중에|않|면',
  },
];

/** A verb and its form in -ing, or a phrase as it is. */
function withGerunds(verbs: string, ...phrases: readonly string[]): string {
  const both = verbs.split(',').map((verb) => {
    const [, word = '', rest = ''] = /^([\p{L}-]+\??[\p{L}-]*)(.*)$/u.exec(verb) ?? [];
    const stem = word.replace(/e$/, '');
    return `(?:${word}|${stem}\\p{L}?ing)${rest}`;
  });
  return [...both, ...phrases].join('|');
}

/** What one does, or does by "する", said politely and ahead. */
function japanese(nouns: string, stems: string): string {
  return `(?:${nouns})を?(?:し|いたし|していき|してみ)(?:ます|ましょう)|(?:${stems})(?:ます|ましょう)`;
}
