/** The demo's material: a small shop with a rounding bug, its issue, and what the scripted model does about it. */
import type { ScriptedTurn } from '../model/scripted-turn.ts';

export const TEST_FILE = 'cart.test.js';

const WORKFLOW = `name: harness9
on:
  issue_comment:
    types: [created]
permissions:
  contents: write
  issues: write
  pull-requests: write
  actions: read
jobs:
  answer:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: harness9/harness9@v1
        with:
          api_key: \${{ secrets.OPENAI_API_KEY }}
`;

const CART = `/** The price of everything in the cart, in dollars, to the cent. */
export function total(items) {
  const sum = items.reduce((subtotal, item) => subtotal + item.price * item.quantity, 0);
  return Math.floor(sum * 100) / 100;
}
`;

const CART_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from './cart.js';

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0);
});

test('a mug for 4.35 costs 4.35', () => {
  assert.equal(total([{ price: 4.35, quantity: 1 }]), 4.35);
});

test('ten stickers for 0.29 cost 2.90', () => {
  assert.equal(total([{ price: 0.29, quantity: 10 }]), 2.9);
});
`;

export const WORKFLOW_PATH = '.github/workflows/harness9.yml';

export const SHOP_FILES: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'shop', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'cart.js': CART,
  [TEST_FILE]: CART_TEST,
  'README.md': '# shop\n\nA cart. Run `npm test`.\n',
  [WORKFLOW_PATH]: WORKFLOW,
};

export const ISSUE = {
  author: 'ann',
  title: 'Some carts are a cent too cheap',
  body: 'A single mug for $4.35 comes out as $4.34. `npm test` shows it.',
};

export const COMMENT = { author: 'ben', body: '@harness9 please find out why and fix it.' };

// Long enough that the progress comment is seen to move, short enough for a demo.
const THINKING_MS = 1_200;

/** The model's part. Every tool call is a real one; the model only says which. */
export const SCRIPT: readonly ScriptedTurn[] = [
  {
    text: 'I read the cart and run its tests.',
    calls: [
      { name: 'read_file', arguments: { path: 'cart.js' } },
      { name: 'bash', arguments: { command: 'node --test' } },
    ],
    delayMs: THINKING_MS,
  },
  {
    text: '4.35 * 100 is 434.99999999999994 in binary floating point, so rounding down loses a cent. I round to the nearest cent.',
    calls: [
      {
        name: 'edit_file',
        arguments: {
          path: 'cart.js',
          old_string: 'return Math.floor(sum * 100) / 100;',
          new_string: 'return Math.round(sum * 100) / 100;',
        },
      },
    ],
    delayMs: THINKING_MS,
  },
  { text: 'Now the tests again.', calls: [{ name: 'bash', arguments: { command: 'node --test' } }], delayMs: THINKING_MS },
  {
    text: [
      'Fixed: `total()` rounded down, and some prices lie just under their cent in binary floating point',
      '(`4.35 * 100` is `434.99999999999994`). It rounds to the nearest cent now; all tests pass.',
    ].join('\n'),
    delayMs: THINKING_MS,
  },
];
