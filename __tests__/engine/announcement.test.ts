// Which texts only say what their author is about to do, and which are answers though they look ahead.
import { describe, expect, test } from '@jest/globals';
import { isAnnouncement as isOne } from '../../src/engine/announcement.ts';

const isAnnouncement = (text: string): boolean => isOne(text, { canChange: true });

describe('G6-03 an announcement', () => {
  test.each([
    "I'll now update a.ts.",
    'I’ll now update a.ts.',
    'Now I will edit X.',
    'Let me look at the tests first.',
    'Now I have a clear picture. Let me update `src/cart.ts`:',
    "I'm going to run the tests now.",
    "Perfect! I'll start by reading the file...",
    'OK, let me check if the tests pass.',
    "To fix this, I'll change the rounding.",
    "First, I'll read the config.",
    "**Next:** I'll update `a.ts`.",
    '- I need to look at the other callers.',
    'I found the bug: `total()` rounds twice. I will fix that now.',
    'Let me run `npm test -- --watch=false?`:',
    'Going to edit the file now.',
    'I will now proceed to edit the file.',
    'We need to see what the callers expect.\n\nLet me search for them.',
    // Something is done, but this is about the very moment.
    "I've updated a.ts. Now let me update b.ts.",
    'The tests pass. I will now update the docs.',
  ])('in English: %s', (text) => {
    expect(isAnnouncement(text)).toBe(true);
    expect(isAnnouncement(`  ${text.replaceAll(' ', '  ')}\n`)).toBe(true);
  });

  test.each([
    '我现在来修改 a.ts。',
    '好的，让我先看一下代码。',
    '接下来我将更新 a.ts。',
    '我已经了解了代码。现在我来修改它：',
    '我会修复这个问题。',
    '首先，我需要查看测试文件。',
    '开始修改文件。',
    '明白了，我先运行测试',
  ])('in Chinese: %s', (text) => expect(isAnnouncement(text)).toBe(true));

  test.each([
    'Ich werde jetzt a.ts ändern.',
    'Jetzt aktualisiere ich die Datei.',
    'Als Nächstes werde ich die Tests ausführen.',
    'Lass mich zuerst die Tests ansehen.',
    'Je vais maintenant modifier a.ts.',
    'Laissez-moi regarder le fichier.',
    'Ahora voy a actualizar a.ts.',
    'Déjame ver el archivo.',
    'Agora vou atualizar a.ts.',
    'Сейчас я обновлю a.ts.',
    'Давайте посмотрим на тесты.',
    'それでは、a.ts を修正します。',
    '次にテストを実行します',
  ])('in another language: %s', (text) => expect(isAnnouncement(text)).toBe(true));
});

describe('G6-03 no announcement', () => {
  test.each([
    ['an answer', 'I fixed the rounding in `total()`; all tests pass.'],
    ['an answer', 'The function returns 3.'],
    ['an answer', 'Now the tests pass.'],
    ['an answer', 'I updated the parser. It will now read such tags.'],
    ['a greeting', 'Hello!'],
    ['nothing', ''],
    ['nothing', '  \n'],
    ['advice', 'Next, you could add a test for negative prices.'],
    ['advice', 'You need to run npm install first.'],
    ['advice', "I'd recommend updating the dependency."],
    ['advice', "Let's go with the second way."],
    ['an offer', 'Let me know if you have any questions.'],
    ['an offer', 'Fixed it. Let me know if you want more tests.'],
    ['an offer', "I'll be happy to help."],
    ['an offer', "If you want, I'll add tests."],
    ['an offer', "I'll add tests if you like them."],
    ['a condition', "Once you approve, I'll apply the plan."],
    ['a condition', 'After the release I will remove it.'],
    ['a question', 'Should I update a.ts as well?'],
    ['a question', "I'll update a.ts now. Or do you want b.ts?"],
    ['a question', 'I need to know which of the two you mean.'],
    ['waiting', "I'll wait for your confirmation."],
    ['waiting', "I'll need you to give me access."],
    ['waiting', 'I need more information to go on.'],
    ['a refusal', "I won't change the file."],
    ['a refusal', 'I will not touch `secret.cfg`.'],
    ['a remark', 'I should note that the API is rate limited.'],
    ['a remark', 'Let me explain: the cache is keyed by name, so a rename misses it.'],
    ['an outlook', 'I added the test. I will keep an eye on CI.'],
    ['an outlook', "I updated a.ts. In a follow-up I'll look at b.ts."],
    ['an outlook', 'All tests pass. I will add the docs.'],
    ['a promise', "Understood, I'll use tabs from now on."],
    ['the end', "Done. I'll leave the rest as it is."],
    ['a plan', "Plan:\n1. I'll update a.ts\n2. I'll run the tests"],
    ['a plan', "I'll do it in two steps: 1. update a.ts 2. run the tests."],
    ['a plan', '- I will update a.ts\n- I will run the tests'],
    ['a plan', "## Plan\n\nI'll update a.ts."],
    ['a table', "| a | b |\n| - | - |\n| 1 | 2 |\n\nI'll now update a.ts."],
    ['a text with code', "```ts\nconst a = 1;\n```\nI'll now update a.ts."],
    ['a quote', "> I'll now update a.ts."],
    ['code', "    I'll now update a.ts."],
    ['code', "`I'll now update a.ts.`"],
    ['a long text', `${'It rounds each line, and then the sum of the lines, '.repeat(12)}which is odd. Let me fix that.`],
    ['many sentences', 'It rounds. It rounds twice. It is old. It is slow. It is odd. Let me fix that.'],
  ])('is %s: %s', (_kind, text) => expect(isAnnouncement(text)).toBe(false));

  test.each([
    '修复了 total() 的舍入问题，所有测试通过。',
    '我建议你更新依赖。',
    '你可以接下来添加测试。',
    '需要我继续吗？',
    '如果你需要，我会添加测试。',
    '已修复。以后我会注意。',
    '我不会修改该文件。',
    '我会等待你的确认。',
    '第一步：我会更新 a.ts。第二步：我会运行测试。',
    'Ich habe den Fehler behoben.',
    'Wenn du willst, werde ich Tests hinzufügen.',
    'Ich werde das nicht ändern.',
    "J'ai corrigé le bug.",
    'Je vais attendre votre réponse.',
    'He corregido el error.',
    'Si quieres, voy a añadir pruebas.',
    'Corrigi o erro.',
    'Я исправил ошибку.',
    'Я рекомендую обновить зависимость.',
    '修正しました。',
    'テストを追加できます。',
    'まず a.ts をご確認ください。',
  ])('in other languages: %s', (text) => expect(isAnnouncement(text)).toBe(false));
});
