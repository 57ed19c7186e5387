// Why a run failed, in the outcome's form: it leaves by other ways than the thread (outputs, summary), so the secrets are taken out here.
import type { Outcome } from '../../schema/outcome.ts';
import type { Egress } from '../api.ts';

export type Cause = NonNullable<Outcome['error']>;

/** The cause as the outcome holds it. */
export function toCause(fault: { readonly message: string; readonly hint?: string | undefined }, egress: Egress): Cause {
  return { message: egress(fault.message), ...(fault.hint === undefined ? {} : { hint: egress(fault.hint) }) };
}
