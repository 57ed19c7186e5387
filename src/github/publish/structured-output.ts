// The output `structured_output`: the final message's value as JSON that a later step can read, or nothing and why; pure.
import { parseJson } from '../../schema/parse-json.ts';
import type { RunResult } from '../../schema/run.ts';
import type { Egress } from '../api.ts';

/** A later step has it in a variable, and a system takes 128 KB of one (G1-40). Cut, it would be no JSON any more. */
const maxBytes = 100_000;

/** `json` is empty where there is no value, or none that can be handed on; `warning` says so in the second case. */
export function renderStructuredOutput(
  result: Pick<RunResult, 'structuredOutput'> | undefined,
  egress: Egress,
): { readonly json: string; readonly warning: string | null } {
  if (result?.structuredOutput === undefined) return { json: '', warning: null };
  const json = egress(JSON.stringify(result.structuredOutput));
  const bytes = Buffer.byteLength(json);
  if (bytes > maxBytes) return without(`it has ${Math.ceil(bytes / 1000)} KB, and a later step can read ${maxBytes / 1000} KB`);
  // Its texts were redacted one by one; what is a secret across them takes the form with it.
  if (parseJson(json) === undefined) return without('with the secrets taken out of it, it is no JSON any more');
  return { json, warning: null };
}

function without(why: string): { readonly json: string; readonly warning: string } {
  return {
    json: '',
    warning: `The output structured_output is empty: ${why}. The file that the output execution_file names has the answer.`,
  };
}
