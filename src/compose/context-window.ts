// How many tokens fit a model, by its name. A guess where the name says nothing; a refusal for length is survived either way.

/** By the model's family, the newest of each first; numbers from the vendors' model pages. */
const windows: readonly (readonly [RegExp, number])[] = [
  [/^claude-/, 200_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-4o|chatgpt-4o|gpt-4-turbo)/, 128_000],
  [/^o[134](-|$)/, 200_000],
  [/^gemini-/, 1_048_576],
];

/** What most models hold at least. */
const usualWindow = 128_000;

/** Tokens that fit `model`; a vendor's prefix (`openai/gpt-4o`) is passed over. */
export function contextWindowOf(model: string): number {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return windows.find(([family]) => family.test(name))?.[1] ?? usualWindow;
}
