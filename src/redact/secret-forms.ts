// The forms in which a secret may show up: encodings that a shell makes in one step or two, and their reverse (C12). Pure.

/** A shorter text would hit ordinary words. */
export const minFormLength = 8;

/** Every form of a secret, once each, all without blanks. Case and signs do not matter: see `compactText` for what they are compared with. */
export function formsOf(secret: string): readonly string[] {
  const forms = [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    jsonEscaped(secret),
    jsonEscaped(jsonEscaped(secret)),
    // Every character escaped, as some writers of JSON do.
    hex(secret).replace(/../g, 'u00$&'),
    rot13(secret),
    hex(secret),
    ...base64Forms(secret),
    ...base64Forms(Buffer.from(secret).toString('base64')),
  ];
  const both = forms.flatMap((form) => [form, [...form].reverse().join('')]);
  return [...new Set(both.map((form) => form.replace(/\s/g, '')))].filter((form) => form.length >= minFormLength);
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}

/**
 * What base64 makes of a text at each of the three places that it can have in a longer one: only the characters that the
 * neighbours do not touch.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const touchedAtStart = offset === 0 ? 0 : offset + 1;
    const touchedAtEnd = (offset + bytes.length) % 3 === 0 ? 0 : 1;
    const sure = encoded.slice(touchedAtStart, encoded.length - touchedAtEnd);
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
