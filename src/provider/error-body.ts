// What an error's body says, whatever its form: OpenAI's, Anthropic's, Google's list, FastAPI's detail, a bare text. Parsing only.
import { isRecord } from '../schema/record.ts';

/** `names`: its codes and types. `meantStatus`: a status that it names itself, inside an answer that has another one. */
export interface ErrorWords {
  readonly text: string;
  readonly type: string;
  readonly names: readonly string[];
  readonly meantStatus: number | undefined;
}

/** Reads a body that was parsed; undefined for one that could not be: then `rawText` is all there is. */
export function readErrorWords(body: unknown, rawText = ''): ErrorWords {
  const error = innermost(body);
  if (!isRecord(error)) return { text: typeof error === 'string' ? error : rawText, type: '', names: [], meantStatus: undefined };
  const named: readonly unknown[] = [error.code, error.type, error.status, error.__type];
  return {
    text: textOf(error),
    type: typeof error.type === 'string' ? error.type : '',
    names: named.filter((name): name is string => typeof name === 'string' && name !== ''),
    meantStatus: named.map(statusOf).find((status) => status !== undefined),
  };
}

/** Whether something that should have been an answer says something in words instead, as errors do that are in no `error`. */
export function hasWords(body: unknown): boolean {
  return isRecord(body) && wordFields.some((field) => typeof body[field] === 'string' && body[field] !== '');
}

const wordFields = ['message', 'detail', 'msg'] as const;

/** Google answers with a list of one; nearly everybody puts the error into `error`. */
function innermost(body: unknown): unknown {
  if (Array.isArray(body)) return innermost(body[0]);
  if (!isRecord(body)) return body;
  return isRecord(body.error) || typeof body.error === 'string' ? innermost(body.error) : body;
}

/** A gateway's own words say less than those that it passes on (OpenRouter's `metadata.raw`). */
function textOf(error: Readonly<Record<string, unknown>>): string {
  const said = wordFields.map((field) => error[field]).find((words) => words !== undefined && words !== null && words !== '');
  const passedOn = isRecord(error.metadata) ? error.metadata.raw : undefined;
  return [said ?? error, ...(passedOn === undefined ? [] : [passedOn])].map(asText).join(': ');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function statusOf(value: unknown): number | undefined {
  const status = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}
