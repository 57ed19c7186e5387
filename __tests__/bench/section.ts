// What a part of the bench is: it measures, renders what it measured, and says whether it is as we want it.

export interface Verdict {
  readonly claim: string;
  readonly holds: boolean;
}

export interface SectionResult {
  /** For a machine: the fields of the bench's JSON that are this part's. */
  readonly report: Readonly<Record<string, unknown>>;
  /** For people. */
  readonly table: string;
  readonly verdicts: readonly Verdict[];
}

export interface BenchOptions {
  /** How often each thing is measured. */
  readonly runs: number;
}

/** The value in the middle; null when there is none. */
export function median(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

/** A verdict on a number that must not be greater than its limit. */
export function atMost(what: string, value: number, limit: number, unit: string): Verdict {
  return { claim: `${what}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit} (limit ${limit} ${unit})`, holds: value <= limit };
}
