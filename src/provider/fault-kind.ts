// Which kind of fault an answer that says no is: by the names that it gives its error, by its words, by its status. Pure.
import type { FaultKind } from '../schema/stream.ts';
import { isOverflow, isThrottling, isUnpaid } from './overflow-wording.ts';

/** What is known of it. `names`: its codes and types, of whatever vendor: gateways speak one wire and pass on the other's errors. */
export interface Refusal {
  readonly status: number | undefined;
  readonly names: readonly string[];
  readonly text: string;
}

/** Names that mean one thing, whatever else is said. */
const exactNames: Readonly<Record<string, FaultKind>> = {
  insufficient_quota: 'quota',
  billing_hard_limit_reached: 'quota',
  billing_error: 'quota',
  exceeded_current_quota_error: 'quota',
  Arrearage: 'quota',
  context_length_exceeded: 'context_overflow',
  model_context_window_exceeded: 'context_overflow',
  exceed_context_size_error: 'context_overflow',
  ContextWindowExceededError: 'context_overflow',
  request_too_large: 'context_overflow',
  rate_limit_exceeded: 'rate_limit',
  rate_limit_error: 'rate_limit',
  RESOURCE_EXHAUSTED: 'rate_limit',
  Throttling: 'rate_limit',
  ThrottlingException: 'rate_limit',
  invalid_api_key: 'auth',
  authentication_error: 'auth',
  permission_error: 'auth',
  model_not_found: 'not_found',
  not_found_error: 'not_found',
  // Azure, OpenAI, LiteLLM, DashScope.
  content_filter: 'content_filter',
  content_policy_violation: 'content_filter',
  ContentPolicyViolationError: 'content_filter',
  data_inspection_failed: 'content_filter',
  DataInspectionFailed: 'content_filter',
};

/** Names that the words, where they are clear, know better. `api_error` and `server_error` are none: they say less than any status. */
const vagueNames: Readonly<Record<string, FaultKind>> = {
  overloaded_error: 'overloaded',
  timeout_error: 'timeout',
};

const kindOfStatus: Readonly<Record<number, FaultKind>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not_found',
  408: 'timeout',
  409: 'overloaded',
  413: 'context_overflow',
  425: 'overloaded',
  429: 'rate_limit',
  504: 'timeout',
};

/** Statuses under which an unpaid account is refused, and those under which a throttled one is besides 429. */
const unpaidStatuses: readonly (number | undefined)[] = [400, 403, 412, 429, undefined];
const throttledStatuses: readonly (number | undefined)[] = [400, 403, 413, 500, 503, 529, undefined];

/** Names that blame the request, where no status does. */
const ofTheRequest = /^(invalid_|unsupported_|content_|bad_?request)/i;

/** The kind. A status that says plainly whose fault it is (401, 404) is not read past. */
export function decideFaultKind({ status, names, text }: Refusal): FaultKind {
  const exact = kindNamed(exactNames, names);
  if (exact !== undefined) return exact;
  if (unpaidStatuses.includes(status) && isUnpaid(text)) return 'quota';
  if (throttledStatuses.includes(status) && isThrottling(text)) return 'rate_limit';
  if (isOverflow(status, text)) return 'context_overflow';
  const vague = kindNamed(vagueNames, names);
  if (vague !== undefined) return vague;
  if (status === undefined) return names.some((name) => ofTheRequest.test(name)) ? 'bad_request' : 'overloaded';
  return kindOfStatus[status] ?? (status >= 500 ? 'overloaded' : 'bad_request');
}

function kindNamed(kinds: Readonly<Record<string, FaultKind>>, names: readonly string[]): FaultKind | undefined {
  return names.map((name) => (Object.hasOwn(kinds, name) ? kinds[name] : undefined)).find((kind) => kind !== undefined);
}
