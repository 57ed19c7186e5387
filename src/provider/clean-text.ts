// A server's words without the keys that it was sent: whole, encoded, cut, masked or taken apart. Pure.
import { oneLine } from '../schema/one-line.ts';
import { type Connection, shortestSecret } from './connection.ts';

/** Long enough for a provider's sentence, short enough for a comment. */
const maxProviderText = 500;
/** What is looked at: enough that nothing which is cut off here could have stood in the end. */
const maxLookedAt = 20_000;

const mark = '[redacted]';

/** So many letters and digits of a secret in a row are no coincidence; of its encodings more, since those hold any digits. */
const leastRun = 8;
const leastEncodedRun = 14;
/** What stands for the hidden middle of a key that is said back: "sk-ab****yz", "sk-ab...yz". */
const masks = /[*•●…#]+|\.{3,}|x{4,}|X{4,}/g;
/** A word before a mask may end as the key begins, by chance; what follows a mask is more seldom something else. */
const leastHead = 3;
const leastTail = 2;

/** `text` on one line, cut, without the secrets of `connection`: neither a form of them nor a piece is left. */
export function cleanText(text: string, connection: Connection): string {
  const whole = connection.secrets.reduce((rest, secret) => rest.replaceAll(secret, mark), text.slice(0, maxLookedAt));
  const clean = secretsOf(connection).reduce((rest, secret) => withoutPieces(withoutMasked(rest, secret), secret), whole);
  return oneLine(clean, maxProviderText);
}

/** Of the query its values: the names of its parameters are words that explain an error. */
function secretsOf({ apiKey, headers, endpoint }: Connection): readonly string[] {
  const values = [...new URLSearchParams(endpoint.query).values()];
  return [apiKey, ...Object.values(headers), ...values].filter((secret) => secret.length >= shortestSecret);
}

function withoutMasked(text: string, secret: string): string {
  return [...text.matchAll(masks)].reduceRight((rest, { 0: mask, index }) => {
    const after = index + mask.length;
    const head = longest(secret, (length) => rest.endsWith(secret.slice(0, length), index));
    const tail = longest(secret, (length) => rest.startsWith(secret.slice(-length), after));
    if (head < leastHead && tail < leastTail) return rest;
    return rest.slice(0, index - head) + mark + rest.slice(after + tail);
  }, text);
}

/** How many characters of `secret` stand there, at most; 0 for none. */
function longest(secret: string, standsThere: (length: number) => boolean): number {
  let length = secret.length;
  while (length > 0 && !standsThere(length)) length -= 1;
  return length;
}

/** Pieces are found among the letters and digits alone: quotes, blanks and signs between them hide nothing. */
function withoutPieces(text: string, secret: string): string {
  const letters = [...text.matchAll(/[a-z0-9]/gi)].map(({ index }) => index);
  const squeezed = squeeze(text);
  const isHidden = new Uint8Array(squeezed.length);
  for (const { form, run } of formsOf(secret)) markRuns(squeezed, form, { run, isHidden });
  const ranges = rangesOf(isHidden).map(([first, last]) => [letters[first] ?? 0, (letters[last] ?? 0) + 1] as const);
  return ranges.reduceRight((rest, [from, to]) => `${rest.slice(0, from)}${mark}${rest.slice(to)}`, text);
}

function squeeze(text: string): string {
  return text.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
}

interface Form {
  readonly form: string;
  readonly run: number;
}

/** As it is, and as it stands in addresses and headers; base64 depends on the place within what is encoded. */
function formsOf(secret: string): readonly Form[] {
  const bytes = Buffer.from(secret);
  const encoded = [0, 1, 2].map((offset) => Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64'));
  const forms = [
    ...[secret, encodeURIComponent(secret)].map((form) => ({ form: squeeze(form), run: leastRun })),
    ...[...encoded, bytes.toString('hex')].map((form) => ({ form: squeeze(form), run: leastEncodedRun })),
  ];
  return forms.filter(({ form }) => form !== '').map(({ form, run }) => ({ form, run: Math.min(run, form.length) }));
}

/** Marks every run of `text` that is a run of `form`, too. */
function markRuns(text: string, form: string, { run, isHidden }: { readonly run: number; readonly isHidden: Uint8Array }): void {
  const runs = new Set(Array.from({ length: form.length - run + 1 }, (_, index) => form.slice(index, index + run)));
  for (let at = 0; at + run <= text.length; at += 1) {
    if (runs.has(text.slice(at, at + run))) isHidden.fill(1, at, at + run);
  }
}

/** The first and the last index of each run of ones. */
function rangesOf(flags: Uint8Array): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  flags.forEach((flag, index) => {
    if (flag === 0) return;
    const latest = ranges.at(-1);
    if (latest !== undefined && latest[1] === index - 1) latest[1] = index;
    else ranges.push([index, index]);
  });
  return ranges;
}
