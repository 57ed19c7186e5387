// What a server refused of a request's optional parameters, and the body as it takes it: dropped, renamed, lowered, once each. Sends nothing itself.
import { isRecord } from '../schema/record.ts';
import { readErrorWords } from './error-body.ts';
import type { AnswerFailure } from './map-error.ts';
import { isOverflow } from './overflow-wording.ts';

/** A request's body, as JSON. */
export type Body = Readonly<Record<string, unknown>>;

/** A parameter that a request can do without, or in another form. What a vendor's server cannot do without is none. */
export interface OptionalParameter {
  /** As refusals name it: a field of the body, or a path with dots (`output_config.effort`). */
  readonly name: string;
  /** Its other name; the two are one parameter. */
  readonly alias?: string;
  /** Its values from the least to the most: where others are named, the nearest of them is sent. */
  readonly values?: readonly string[];
  /** A number of tokens that may be lowered; it is not dropped: it is somebody's promise. */
  readonly isLimit?: boolean;
  /** How refusals speak of it when they do not name it. */
  readonly words?: RegExp;
  /** The body without it, where it is more than the one field; the same object when it is not there. */
  readonly remove?: (body: Body) => Body;
}

/** One attempt; `refused` must be called with a failed answer before the error is thrown. */
export type Attempt = (body: Body, refused: (failure: AnswerFailure) => void) => Promise<Response>;

/** Sends a body, and once more for each of its parameters that was refused and could be mended. */
export type AdaptedSend = (body: Body, attempt: Attempt) => Promise<Response>;

/** What is known of one parameter. A second refusal of the same kind teaches nothing: it is an error. */
interface Form {
  readonly name: string;
  readonly isDropped?: boolean;
  readonly max?: number;
  readonly value?: string;
}

type Forms = ReadonlyMap<OptionalParameter, Form>;

/** A sender that remembers, for as long as it lives, what the server behind it refused of `parameters`. */
export function createAdaptedSend(parameters: readonly OptionalParameter[]): AdaptedSend {
  let forms: Forms = new Map(parameters.map((parameter) => [parameter, { name: parameter.name }]));
  return async (body, attempt) => {
    for (;;) {
      const used = forms;
      const sent = [...used].reduce(applyForm, body);
      let learnt: readonly [OptionalParameter, Form] | undefined;
      try {
        return await attempt(sent, (failure) => {
          learnt = learn(used, sent, failure);
        });
      } catch (error) {
        if (learnt === undefined) throw error;
        // Requests go out together: what another one has learnt meanwhile is tried first.
        const [parameter] = learnt;
        if (forms.get(parameter) === used.get(parameter)) forms = new Map([...forms, learnt]);
      }
    }
  };
}

function applyForm(body: Body, [parameter, form]: readonly [OptionalParameter, Form]): Body {
  const value = valueAt(body, parameter.name);
  if (parameter.remove === undefined && value === undefined) return body;
  if (form.isDropped === true) return parameter.remove?.(body) ?? without(body, parameter.name);
  const lowered = typeof value === 'number' && form.max !== undefined ? Math.min(value, form.max) : value;
  const sent = form.value ?? lowered;
  if (form.name === parameter.name) return sent === value ? body : withValue(body, parameter.name, sent);
  // In its place: what follows keeps its bytes.
  return Object.fromEntries(Object.entries(body).map((entry) => (entry[0] === parameter.name ? [form.name, sent] : entry)));
}

/** The new form of the parameter that was refused; undefined where nothing was, or nothing is left to try. */
function learn(forms: Forms, sent: Body, failure: AnswerFailure): readonly [OptionalParameter, Form] | undefined {
  if (!refusingStatuses.includes(failure.status)) return undefined;
  const said = readRefusal(failure);
  const present = [...forms].filter(([parameter, form]) => isSent(sent, parameter, form));
  const shortened = makeRoom(present, sent, said.text);
  // Such a request is made shorter, not poorer: the texts advise to lower the output limit, too.
  if (shortened !== undefined || isOverflow(failure.status, said.text)) return shortened;
  const named = present
    .map((entry) => ({ entry, at: placeIn(said, entry) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  return named
    .map(({ entry: [parameter, form] }) => [parameter, mend(parameter, form, valueAt(sent, form.name), said.text)] as const)
    .find((entry): entry is readonly [OptionalParameter, Form] => entry[1] !== undefined);
}

/** 404 is OpenRouter's word for "no endpoint takes this parameter". */
const refusingStatuses: readonly number[] = [400, 404, 422];

function isSent(sent: Body, parameter: OptionalParameter, form: Form): boolean {
  if (form.isDropped === true) return false;
  return parameter.remove === undefined ? valueAt(sent, form.name) !== undefined : parameter.remove(sent) !== sent;
}

function mend(parameter: OptionalParameter, form: Form, value: unknown, text: string): Form | undefined {
  if (parameter.isLimit === true && typeof value === 'number' && form.max === undefined) {
    const max = largestBelow(value, text);
    if (max !== undefined) return { ...form, max };
  }
  if (parameter.alias !== undefined && form.name === parameter.name) return { ...form, name: parameter.alias };
  if (parameter.isLimit === true) return undefined;
  const nearest = form.value === undefined ? nearestNamed(parameter.values ?? [], value, text) : undefined;
  return nearest === undefined ? { ...form, isDropped: true } : { ...form, value: nearest };
}

/** Where the refusal speaks of the parameter: a field first, then as far as its text goes; -1: nowhere. */
function placeIn({ fields, text }: Refusal, [{ words }, { name }]: readonly [OptionalParameter, Form]): number {
  const [parent = '', leaf = parent] = name.split('.');
  if (fields.some((field) => wordOf(leaf).test(field))) return 0;
  const said = text.split(listOfKnown)[0] ?? '';
  const wordings = [wordOf(name), wordOf(parent, '(?!\\.\\w)'), ...(words === undefined ? [] : [words])];
  const places = wordings.map((wording) => said.search(wording));
  const first = places.find((at) => at >= 0);
  return first === undefined ? -1 : first + 1;
}

/** "unknown field x, expected one of…": what follows is what the server does know. */
const listOfKnown = /,? expected one of/i;

/** `name` where it is no part of a longer one. */
function wordOf(name: string, next = ''): RegExp {
  return new RegExp(`(?<![\\w-])${name.replaceAll('.', '\\.')}(?![\\w-])${next}`);
}

interface Refusal {
  /** Names of fields, where the body has a place for them: OpenAI's `param`, FastAPI's `loc`. */
  readonly fields: readonly string[];
  readonly text: string;
}

function readRefusal({ body, text }: AnswerFailure): Refusal {
  return { fields: fieldsIn(body, 0), text: readErrorWords(body, text).text };
}

const maxDepth = 6;

function fieldsIn(value: unknown, depth: number): readonly string[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return value.flatMap((item) => fieldsIn(item, depth + 1));
  if (!isRecord(value)) return [];
  const own = [
    ...(typeof value.param === 'string' ? [value.param] : []),
    ...(Array.isArray(value.loc) ? [value.loc.join('.')] : []),
  ];
  return [...own, ...['error', 'detail', 'message'].flatMap((name) => fieldsIn(value[name], depth + 1))];
}

/** Smaller numbers are names of models, and no limit that an agent could work with. */
const leastLimit = 256;

/** The number that a text names as the most: the largest that is smaller than what was asked for. */
function largestBelow(asked: number, text: string): number | undefined {
  const numbers = [...text.matchAll(/(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w-])/g)].map(([digits]) =>
    Number(digits.replaceAll(',', '')),
  );
  const smaller = numbers.filter((number) => number >= leastLimit && number < asked);
  return smaller.length === 0 ? undefined : Math.max(...smaller);
}

/** What follows words such as "supported values are". */
const listBegins = /(?:values? (?:are|is)|one of|should be|must be|expected|supports?(?: only)?)\b/gi;

function nearestNamed(values: readonly string[], asked: unknown, text: string): string | undefined {
  const at = values.indexOf(String(asked));
  const begin = [...text.matchAll(listBegins)].at(-1);
  if (at < 0 || begin === undefined) return undefined;
  const list = text.slice(begin.index + begin[0].length);
  const named = values.filter((value) => value !== asked && wordOf(value).test(list));
  const distance = (value: string) => Math.abs(values.indexOf(value) - at);
  return named.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** How servers name what fits in all, and what was sent in: OpenAI, Anthropic, OpenRouter, vLLM, SGLang, Together, DeepSeek. */
const windows: readonly RegExp[] = [
  /\d+ \+ \d+ > (\d+)/,
  /context (?:length|limit|window|size)\D{1,30}(\d+)/i,
  /must be <= (\d+)/,
];
const inputs: readonly RegExp[] = [
  /(\d+) \+ \d+ >/,
  /(\d+) (?:in the (?:messages|prompt)|of text input)/,
  /(\d+) (?:tokens from the )?input (?:tokens|messages)/,
  /(\d+) `inputs` tokens/,
];

/** A window that is nearly full is a matter of compaction, not of a shorter answer. */
const leastRoomShare = 1 / 8;

/**
 * For a request that would fit, but for the answer that may follow: half of what the window leaves to it, so that the conversation may grow
 * before the next refusal.
 */
function makeRoom(
  present: readonly (readonly [OptionalParameter, Form])[],
  sent: Body,
  text: string,
): readonly [OptionalParameter, Form] | undefined {
  const found = present.find(([{ isLimit }]) => isLimit === true);
  if (found === undefined) return undefined;
  const [limit, form] = found;
  const window = firstNumber(windows, text);
  const room = window - firstNumber(inputs, text);
  const isTight = room < Number(valueAt(sent, form.name)) && room >= window * leastRoomShare;
  return isTight ? [limit, { ...form, max: Math.floor(room / 2) }] : undefined;
}

function firstNumber(wordings: readonly RegExp[], text: string): number {
  return Number(wordings.map((wording) => wording.exec(text)?.[1]).find((digits) => digits !== undefined) ?? Number.NaN);
}

function valueAt(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), body);
}

function withValue(body: Body, path: string, value: unknown): Body {
  const [name = '', ...rest] = path.split('.');
  const inner = body[name];
  return { ...body, [name]: rest.length > 0 && isRecord(inner) ? withValue(inner, rest.join('.'), value) : value };
}

/** An object that is empty without it goes with it. */
function without(body: Body, path: string): Body {
  const [name = '', ...rest] = path.split('.');
  const inner = body[name];
  const left = rest.length > 0 && isRecord(inner) ? without(inner, rest.join('.')) : {};
  if (Object.keys(left).length > 0) return { ...body, [name]: left };
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));
}
