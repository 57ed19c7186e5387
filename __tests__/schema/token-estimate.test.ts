// The estimate against what two public tokenizers make of such texts (counted once with o200k_base and cl100k_base); exact numbers are
// pinned only where the rule is ours.
import { describe, expect, test } from '@jest/globals';
import { type Message, type ToolDefinition, textPart } from '../../src/schema/message.ts';
import { boundMessage, estimateMessage, estimateText, estimateTokens } from '../../src/schema/token-estimate.ts';
import { createRandom } from '../tools/random.ts';

const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const tool: ToolDefinition = {
  name: 'bash',
  description: 'Runs a command.',
  inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
  place: 'host',
  effect: 'execute',
};

interface Sample {
  readonly name: string;
  readonly text: string;
  readonly o200k: number;
  readonly cl100k: number;
}

const cjk: readonly Sample[] = [
  {
    name: 'simplified Chinese',
    text: '请修复登录页面的错误：用户输入正确的密码之后仍然提示“验证失败”。不要修改配置文件 secret.cfg，完成之后运行全部测试并提交一个合并请求。',
    o200k: 40,
    cl100k: 45,
  },
  {
    name: 'traditional Chinese',
    text: '請修復登入頁面的錯誤：使用者輸入正確的密碼之後仍然顯示「驗證失敗」。不要修改設定檔，完成之後執行全部測試並提交合併請求。',
    o200k: 55,
    cl100k: 80,
  },
  {
    name: 'classical Chinese',
    text: '學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？人不知而不慍，不亦君子乎？',
    o200k: 34,
    cl100k: 53,
  },
  {
    name: 'Japanese',
    text: 'ログイン画面の不具合を修正してください。正しいパスワードを入力しても「認証に失敗しました」と表示されます。設定ファイルは変更しないでください。',
    o200k: 45,
    cl100k: 60,
  },
  {
    name: 'Korean',
    text: '로그인 페이지의 오류를 수정해 주세요. 올바른 비밀번호를 입력해도 인증 실패라고 표시됩니다. 설정 파일은 변경하지 마세요.',
    o200k: 33,
    cl100k: 46,
  },
];

const others: readonly Sample[] = [
  {
    name: 'English',
    text: 'Please fix the bug on the login page: after the right password was typed in, it still says that the verification failed. Do not change the file secret.cfg; run all tests and open a pull request when you are done.',
    o200k: 46,
    cl100k: 46,
  },
  {
    name: 'Russian',
    text: 'Исправьте ошибку на странице входа: после ввода правильного пароля появляется сообщение об ошибке.',
    o200k: 23,
    cl100k: 35,
  },
  {
    name: 'code',
    text: 'export function parseWhole(name: string, value: number): number {\n  if (Number.isInteger(value) && value >= 0) return value;\n  throw new RangeError(`${name} is ${value}, expected a whole number`);\n}\n',
    o200k: 49,
    cl100k: 49,
  },
  {
    name: 'JSON',
    text: '{"files":[{"path":"src/cart.ts","mode":"100644","size":1834},{"path":"src/total.ts","mode":"100644","size":912}],"truncated":false}',
    o200k: 42,
    cl100k: 41,
  },
  {
    name: 'base64',
    text: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    o200k: 53,
    cl100k: 54,
  },
  {
    name: 'hashes',
    text: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
    o200k: 80,
    cl100k: 78,
  },
  {
    name: 'a long number',
    text: '3141592653589793238462643383279502884197169399375105820974944592307816406286',
    o200k: 26,
    cl100k: 26,
  },
  {
    name: 'a log',
    text: '2026-09-12T10:04:31.207Z INFO [worker-3] request_id=5f4dcc3b5aa765d61d8327deb882cf99 status=200 duration_ms=481\n2026-09-12T10:04:31.904Z WARN [worker-1] request_id=7c6a180b36896a0a8c02787eeafb0e4c status=429 duration_ms=12\n',
    o200k: 103,
    cl100k: 103,
  },
  { name: 'emoji', text: '✅ done 🎉🎉 🚀 shipped, 🐛 fixed, ❌ failed 👩‍💻', o200k: 23, cl100k: 28 },
  { name: 'indentation', text: '        if (a) {\n            return b;\n        }\n', o200k: 12, cl100k: 12 },
];

describe('estimateText against real tokenizers', () => {
  test.each(cjk)(
    '$name is not taken for a fifth less than the dearer tokenizer takes, nor for twice the cheaper one',
    (sample) => {
      const tokens = estimateText(sample.text);
      expect(tokens).toBeGreaterThan(Math.max(sample.o200k, sample.cl100k) * 0.78);
      expect(tokens).toBeLessThan(Math.min(sample.o200k, sample.cl100k) * 2);
    },
  );

  test.each(others)('$name is within three tenths of the dearer tokenizer and twice the cheaper one', (sample) => {
    const tokens = estimateText(sample.text);
    expect(tokens).toBeGreaterThan(Math.max(sample.o200k, sample.cl100k) * 0.7);
    expect(tokens).toBeLessThan(Math.min(sample.o200k, sample.cl100k) * 2);
  });

  test('what English costs by the character would be half of what a key costs', () => {
    const random = createRandom(5);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const key = Array.from({ length: 4000 }, () => random.pick([...alphabet])).join('');
    // Both tokenizers take 0.7 tokens a character of such texts.
    expect(estimateText(key)).toBeGreaterThan(4000 * 0.5);
    expect(estimateText(key)).toBeLessThan(4000 * 0.9);
  });
});

describe('estimateText', () => {
  test('nothing costs nothing, and a longer text never costs less', () => {
    expect(estimateText('')).toBe(0);
    const random = createRandom(7);
    const pieces = [
      'word ',
      'camelCase',
      'ABC',
      '42',
      '1234567',
      '  ',
      '\n\t',
      '{"a":',
      '修',
      'か',
      '한',
      'é',
      'я',
      '🎉',
      '\u{20000}',
    ];
    const text = Array.from({ length: 300 }, () => random.pick(pieces)).join('');
    const costs = Array.from({ length: text.length + 1 }, (_unused, length) => estimateText(text.slice(0, length)));
    expect(costs.every((cost, index) => index === 0 || cost >= (costs[index - 1] ?? 0))).toBe(true);
  });

  test('a text in two pieces costs what it costs in one, but for the seam', () => {
    const text = others.map((sample) => sample.text).join('\n');
    for (let at = 0; at <= text.length; at += 7) {
      const inTwo = estimateText(text.slice(0, at)) + estimateText(text.slice(at));
      expect(Math.abs(inTwo - estimateText(text))).toBeLessThan(2);
    }
  });
});

describe('estimateTokens', () => {
  test('a Chinese history is not taken for a fourth of its size', () => {
    expect(estimateMessage(user('修'.repeat(1000)))).toBeCloseTo(4 + 1200);
    expect(estimateMessage(user('word '.repeat(200)))).toBeCloseTo(4 + 180);
  });

  test('is the sum of its messages', () => {
    const messages = [user('one'), user('and two more'), user('三')];
    expect(estimateTokens(messages, [])).toBe(Math.ceil(messages.reduce((sum, message) => sum + estimateMessage(message), 0)));
  });

  test('the bound that reads nothing is never below the estimate', () => {
    const random = createRandom(11);
    for (let count = 0; count < 200; count += 1) {
      const text = Array.from({ length: random.below(40) }, () =>
        random.pick([...cjk, ...others]).text.slice(0, random.below(30)),
      ).join('');
      const message: Message = {
        role: 'assistant',
        content: [textPart(text)],
        toolCalls: [{ id: 'c', name: 'bash', arguments: text }],
      };
      expect(boundMessage(message)).toBeGreaterThanOrEqual(estimateMessage(message));
    }
    expect(boundMessage(user('修'.repeat(100)))).toBeCloseTo(estimateMessage(user('修'.repeat(100))));
  });

  test('counts calls, their arguments and the schemas of the tools', () => {
    const call: Message = { role: 'assistant', content: [], toolCalls: [{ id: 'c', name: 'bash', arguments: '7'.repeat(300) }] };
    expect(estimateTokens([call], [])).toBe(Math.ceil(4 + 8 + estimateText('bash') + 100));
    const schema = estimateText(JSON.stringify(tool.inputSchema));
    expect(estimateTokens([], [tool])).toBe(Math.ceil(8 + estimateText('bash') + estimateText('Runs a command.') + schema));
    expect(schema).toBeGreaterThan(10);
  });

  test('a picture costs the same whatever its bytes', () => {
    const image = (bytes: number): Message => ({
      role: 'user',
      content: [{ type: 'image', mediaType: 'image/png', data: 'A'.repeat(bytes) }],
    });
    expect(estimateTokens([image(10)], [])).toBe(1604);
    expect(estimateTokens([image(4_000_000)], [])).toBe(1604);
  });

  test('an opaque block counts by its value', () => {
    const origin = { provider: 'p', endpoint: 'e', model: 'm' };
    const message: Message = {
      role: 'assistant',
      content: [{ type: 'opaque', origin, kind: 'thinking', value: '7'.repeat(300) }],
    };
    expect(estimateTokens([message], [])).toBe(Math.ceil(4 + 100 + 2 * 0.85));
  });
});
