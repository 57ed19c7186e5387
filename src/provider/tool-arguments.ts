// How a call's raw argument text goes back to a vendor: always valid, whatever the model wrote.

/** The arguments as an object; `{}` for text that is cut or no object (G2-31, G3-15): strict servers refuse such a history for ever. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
