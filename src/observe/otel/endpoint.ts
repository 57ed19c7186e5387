// Where traces go and with which headers, as text from the outside: read and checked. Values of headers are never shown.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Harness9Error } from '../../schema/error.ts';
import { type HttpUrl, readHttpUrl } from '../../schema/http-url.ts';

const tracesPath = '/v1/traces';

/**
 * The address that traces are posted to: `text` is the receiver's base, or the whole address. Throws a Harness9Error TRACING_ENDPOINT for
 * what is no URL, holds credentials, or is plain http beyond loopback.
 */
export function parseOtlpEndpoint(text: string): URL {
  const read = readHttpUrl(text);
  if (read.kind !== 'url') throw refuse(read);
  const { url } = read;
  const base = url.pathname.replace(/\/+$/, '');
  url.pathname = base.endsWith(tracesPath) ? base : `${base}${tracesPath}`;
  url.hash = '';
  return url;
}

/**
 * The text of OTEL_EXPORTER_OTLP_HEADERS and the like: `name=value,name=value`, values percent-encoded. Throws a Harness9Error
 * TRACING_HEADERS that names the variable, and the entry by its place.
 */
export function parseOtlpHeaders(variable: string, text: string): Record<string, string> {
  const entries = text.split(',').map((entry) => entry.trim());
  return Object.fromEntries(
    entries.flatMap((entry, index) => (entry === '' ? [] : [parseHeader(entry, `${variable}: entry ${index + 1}`)])),
  );
}

function parseHeader(entry: string, place: string): readonly [name: string, value: string] {
  const equals = entry.indexOf('=');
  const name = entry.slice(0, Math.max(equals, 0)).trim();
  try {
    const value = decodeURIComponent(entry.slice(equals + 1).trim());
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, value];
  } catch {
    // What is wrong may hold the secret, so it is neither shown nor chained.
    throw new Harness9Error({
      code: 'TRACING_HEADERS',
      message: `${place} is no header.`,
      hint: 'Write name=value,name=value; a comma, a percent sign or a blank in a value is percent-encoded (%2C, %25, %20).',
    });
  }
}

function refuse(read: Exclude<HttpUrl, { readonly kind: 'url' }>): Harness9Error {
  switch (read.kind) {
    case 'none':
      return badEndpoint(`got ${read.seen}.`, 'Give a full URL, for example https://otel.example.com:4318.');
    case 'login':
      return badEndpoint(
        `the URL for host ${read.host} holds a user name or a password.`,
        'Take them out of the URL; they belong into OTEL_EXPORTER_OTLP_HEADERS.',
      );
    case 'plain':
      return badEndpoint(
        `the URL for host ${read.host} is plain http: the traces would cross the network unencrypted.`,
        'Use https.',
      );
  }
}

function badEndpoint(what: string, hint: string): Harness9Error {
  return new Harness9Error({
    code: 'TRACING_ENDPOINT',
    message: `The endpoint for traces (otel_endpoint) cannot be used: ${what}`,
    hint,
  });
}
