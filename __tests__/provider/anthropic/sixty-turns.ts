// What the model of a long run says, turn by turn, against the strict server: everything that an answer can be, and every way in which one fails.
import type { StrictAnswer } from './strict-server.ts';
import type { StrictRequest } from './strict-shape.ts';

const summary =
  'The user wants all notes read and the findings listed. Notes one to nine were read: they speak of totals, of taxes and of rounding. ' +
  'Nothing was written yet. The parser of dates is suspected. Next the other notes are to be read, and then the findings written down.';

type Answer = Extract<StrictAnswer, { readonly content: unknown }>;
type Block = Answer['content'][number];

/** Plays the turns of one conversation; over several runs it goes on where it stood. */
export class LongModel {
  readonly #thinks: boolean;
  readonly #turns: number;
  #turn = 0;
  #failures = 0;
  #summaries = 0;

  /** `turns`: after so many answers with calls each run ends. */
  constructor(options: { readonly thinks: boolean; readonly turns: number }) {
    this.#thinks = options.thinks;
    this.#turns = options.turns;
  }

  get summaries(): number {
    return this.#summaries;
  }

  readonly answer = (request: StrictRequest): StrictAnswer => {
    if (request.tools === undefined) {
      this.#summaries += 1;
      return { content: [...this.#thought(), text(summary)], stop: 'end_turn' };
    }
    const failure = this.#failures < 2 ? failures[this.#turn % failures.length] : undefined;
    if (failure !== undefined) {
      this.#failures += 1;
      return failure;
    }
    this.#failures = 0;
    this.#turn += 1;
    if (this.#turn % this.#turns === 0)
      return { content: [...this.#thought(), text('All notes are read. \n')], stop: 'end_turn' };
    return this.#kinds[this.#turn % this.#kinds.length]?.() ?? this.#parallel(1);
  };

  readonly #kinds: readonly (() => Answer)[] = [
    () => this.#parallel(1),
    () => this.#parallel(3),
    () => ({
      content: [
        ...this.#thought(),
        text('So far so good. '),
        call(this.#id(), 'fails'),
        call(this.#id(), 'no.such tool'),
        call(this.#id(), 'silent'),
      ],
      stop: 'tool_use',
    }),
    // Thinking between calls, in both forms.
    () => ({
      content: [
        ...this.#thought(),
        call(this.#id(), 'read'),
        text('And'),
        ...this.#thought(),
        ...this.#hidden(),
        call(this.#id(), 'read'),
      ],
      stop: 'tool_use',
    }),
    () => this.#parallel(25),
    // Cut in the arguments of a call, and in a text.
    () => ({
      content: [
        ...this.#thought(),
        call(this.#id(), 'read'),
        { ...call(this.#id(), 'read'), input: '{"path":"a.md","content":"aaa' },
      ],
      stop: 'max_tokens',
    }),
    () => ({ content: [...this.#thought(), text('The findings are: one, two, three and ')], stop: 'max_tokens' }),
    () => ({ content: [...this.#thought(), text('I look it up. \n'), ...search(this.#id())], stop: 'pause_turn' }),
    () => ({ content: [...this.#thought(), text('\n\n'), call('same', 'read', { odd: '\ud83d' })], stop: 'tool_use' }),
    () => ({
      content: [...this.#hidden(), text('Half of it \ud83d'), call(`functions.read:${this.#turn}`, 'read')],
      stop: 'something_new',
    }),
    // Nothing that could be an answer.
    () => ({ content: this.#thought(), stop: 'end_turn' }),
  ];

  #id(): string {
    idCount += 1;
    return `toolu_${idCount}`;
  }

  #thought(): readonly Block[] {
    if (!this.#thinks) return [];
    idCount += 1;
    // Not in the order of the alphabet, with characters that are easily changed on the way.
    return [{ type: 'thinking', thinking: ` Hm — ${idCount}\n<b>“é”</b>\t `, signature: `EqQB${idCount}+/==` }];
  }

  #hidden(): readonly Block[] {
    return this.#thinks ? [{ type: 'redacted_thinking', data: `EmwK${idCount}==` }] : [];
  }

  #parallel(count: number): Answer {
    return { content: [...this.#thought(), ...Array.from({ length: count }, () => call(this.#id(), 'read'))], stop: 'tool_use' };
  }
}

let idCount = 0;

/** By turn: what the server answers twice before it answers at all. */
const failures: readonly (StrictAnswer | undefined)[] = [
  undefined,
  { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } },
  undefined,
  { content: [text('I begin to say')], stop: 'end_turn', tornAfter: 3 },
  undefined,
  undefined,
  { status: 500, error: { type: 'api_error', message: 'Internal server error' } },
];

function text(said: string): Block {
  return { type: 'text', text: said };
}

function call(id: string, name: string, more: object = {}): Block {
  return { type: 'tool_use', id, name, input: { path: `${id}.md`, ...more } };
}

function search(id: string): readonly Block[] {
  return [
    { type: 'server_tool_use', id: `srv${id}`, name: 'web_search', input: { query: 'rounding' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: `srv${id}`,
      content: [{ type: 'web_search_result', url: 'https://a.example', encrypted_content: 'Eu8=' }],
    },
  ];
}
