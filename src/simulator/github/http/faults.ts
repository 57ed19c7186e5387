/** Faults that a test injects between the client and the simulated GitHub. */
import type { Reply } from './reply.ts';

export interface FaultRule {
  readonly method?: string;
  /** Matched against the path as the journal has it. */
  readonly path: RegExp;
  /** 0 cuts the connection without an answer. */
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests it hits; default 1. */
  readonly times?: number;
  /** `apply`: the request takes effect and only its answer is lost. Default `before`: it takes no effect. */
  readonly after?: 'apply' | 'before';
}

export interface Fault {
  readonly isApplied: boolean;
  readonly reply: Reply;
}

export interface Faults {
  add(rule: FaultRule): void;
  /** The fault for a request, which uses the rule up once. */
  take(method: string, path: string): Fault | undefined;
}

export function createFaults(): Faults {
  const rules: { readonly rule: FaultRule; left: number }[] = [];
  return {
    add(rule) {
      rules.push({ rule, left: rule.times ?? 1 });
    },
    take(method, path) {
      const hit = rules.find(({ rule, left }) => left > 0 && (rule.method ?? method) === method && path.search(rule.path) >= 0);
      if (hit === undefined) return undefined;
      hit.left -= 1;
      const { status, body = { message: 'Injected fault', status: String(status) }, headers = {} } = hit.rule;
      return { isApplied: hit.rule.after === 'apply', reply: { status, body, headers } };
    },
  };
}
