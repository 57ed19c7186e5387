// What the model of a long run says, turn by turn, against the strict server: everything that an answer can be, and every way in which one fails.
import type { StrictRequest } from './strict-request.ts';
import type { Said, SaidCall, StrictAnswer } from './strict-server.ts';

const summary =
  'The user wants all notes read and the findings listed. Notes one to nine were read: they speak of totals, of taxes and of rounding. ' +
  'Nothing was written yet. The parser of dates is suspected. Next the other notes are to be read, and then the findings written down.';

export const lastWords = 'All notes are read.';

/** Plays one conversation that ends after so many answers with calls. */
export class LongModel {
  readonly #reasoningField: string | undefined;
  readonly #turns: number;
  #turn = 0;
  #failures = 0;
  #count = 0;
  summaries = 0;

  constructor(options: { readonly reasoningField: string | undefined; readonly turns: number }) {
    this.#reasoningField = options.reasoningField;
    this.#turns = options.turns;
  }

  readonly answer = (request: StrictRequest): StrictAnswer => {
    if (request.tools === undefined) {
      this.summaries += 1;
      return { text: summary, finish: 'stop' };
    }
    const failure = this.#failures < 2 ? failures[this.#turn % failures.length] : undefined;
    if (failure !== undefined) {
      this.#failures += 1;
      return failure;
    }
    this.#failures = 0;
    this.#turn += 1;
    if (this.#turn > this.#turns) return { text: lastWords, finish: 'stop', more: this.#thought() };
    const said = this.#kinds[this.#turn % this.#kinds.length]?.() ?? this.#parallel(1);
    return { ...said, more: this.#thought() };
  };

  readonly #kinds: readonly (() => Said)[] = [
    () => this.#parallel(1),
    () => this.#parallel(3),
    () => ({
      text: 'So far so good. ',
      calls: ['fails', 'no.such tool', 'silent'].map((name) => this.#call(name)),
      finish: 'tool_calls',
    }),
    () => ({ text: '\n\n', calls: [this.#call('look'), this.#call('read'), this.#call('look')], finish: 'stop' }),
    () => this.#parallel(25),
    // Nothing that could be an answer.
    () => ({ finish: 'stop' }),
    // Cut in the arguments of a call, and in a text.
    () => ({
      calls: [this.#call('read'), { ...this.#call('read'), arguments: '{"path":"a.md","content":"aaa' }],
      finish: 'length',
    }),
    () => ({ text: 'The findings are: one, two, three and ', finish: 'length' }),
    () => ({
      calls: [
        { ...this.#call('read'), arguments: '' },
        { ...this.#call('read'), arguments: '{"odd":"\\ud83d"}' },
      ],
      finish: 'tool_calls',
    }),
    // Ids that are there already, that are none, that are long, and names that nobody has.
    () => ({ calls: ['same', 'same', ''].map((id) => ({ ...this.#call('read'), id })), finish: 'tool_calls' }),
    () => ({
      calls: ['x'.repeat(30), 'ü', `functions.read:${this.#count}`].map((id) => ({
        ...this.#call('read'),
        id: `${id}${this.#count}`,
      })),
      finish: 'function_call',
    }),
    () => ({ text: 'Half of it \ud83d', calls: [this.#call('é ü'), this.#call('n'.repeat(100))], finish: 'something_new' }),
    // A call that was announced and never came.
    () => ({ text: 'I call it now.', finish: 'tool_calls' }),
  ];

  #call(name: string): SaidCall {
    this.#count += 1;
    return { id: `call_${this.#count}`, name, arguments: JSON.stringify({ path: `${this.#count}.md` }) };
  }

  #parallel(count: number): Said {
    return { calls: Array.from({ length: count }, () => this.#call('read')), finish: 'tool_calls' };
  }

  #thought(): Readonly<Record<string, unknown>> {
    this.#count += 1;
    // With characters that are easily changed on the way.
    const text = ` Hm — ${this.#count}\n<b>“é”</b>\t `;
    if (this.#reasoningField === undefined) return {};
    if (this.#reasoningField !== 'reasoning_details') return { [this.#reasoningField]: text };
    return {
      reasoning: text,
      reasoning_details: [
        { type: 'reasoning.text', text, signature: `EqQB${this.#count}+/==`, index: 0 },
        { type: 'reasoning.encrypted', data: `EmwK${this.#count}==`, index: 1 },
      ],
    };
  }
}

/** By turn: what the server answers twice before it answers at all. */
const failures: readonly (StrictAnswer | undefined)[] = [
  undefined,
  { status: 429, error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' }, headers: { 'retry-after': '1' } },
  undefined,
  { text: 'I begin to say', finish: 'stop', tornAfter: 2 },
  undefined,
  { status: 200, error: { message: 'Provider returned error', code: 502, metadata: { raw: 'upstream died' } } },
  undefined,
  { calls: [{ id: 'torn', name: 'read', arguments: '{"path":"never"}' }], finish: 'tool_calls', tornAfter: 2 },
  undefined,
  { status: 500, error: { message: 'The server had an error', type: 'server_error' } },
];
