// Which forms of the optional parameters a compatible server takes, learnt from its refusals; it builds and sends nothing.
import type { Connection } from '../connection.ts';
import type { AnswerFailure } from '../send.ts';
import { readErrorBody } from './map-error.ts';

/** One per provider, for as long as it lives. */
export interface Dialect {
  readonly hasStreamOptions: boolean;
  readonly limitName: 'max_tokens' | 'max_completion_tokens';
  readonly isLimitSettled: boolean;
}

/** The vendor's newer models refuse `max_tokens`; older compatible servers know nothing else (G2-19). */
export function initialDialect(connection: Connection): Dialect {
  const isVendor = connection.endpoint.host === 'api.openai.com';
  return { hasStreamOptions: true, limitName: isVendor ? 'max_completion_tokens' : 'max_tokens', isLimitSettled: false };
}

/** The dialect after a parameter was refused by its name, or undefined: each is adapted once, a second refusal is an error. */
export function decideDialect(dialect: Dialect, failure: AnswerFailure): Dialect | undefined {
  if (failure.status !== 400 && failure.status !== 422) return undefined;
  const error = readErrorBody(failure.body ?? failure.text);
  const said = error.param ?? JSON.stringify(error);
  if (dialect.hasStreamOptions && said.includes('stream_options')) return { ...dialect, hasStreamOptions: false };
  if (dialect.isLimitSettled || !said.includes(dialect.limitName)) return undefined;
  return {
    ...dialect,
    limitName: dialect.limitName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens',
    isLimitSettled: true,
  };
}
