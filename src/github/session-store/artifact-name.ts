// The name of a thread's session artifact; saving and looking up use the same function (G1-18).

// Attempts of one run meet the same name; more than a handful means that something else is wrong.
export const MAX_NAMES = 5;

// The artifact service refuses `* " : < > | ? \ /` and line ends; of these encodeURIComponent leaves only the star.
const LEFT_BY_ENCODING = /[*'()!~]/g;

/** `harness9-session-issue-12`, then `…-2`, `…-3` for the names after the first. Reversible for any key. */
export function artifactName(threadKey: string, attempt: number): string {
  const safe = encodeURIComponent(threadKey).replace(LEFT_BY_ENCODING, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `harness9-session-${safe}${attempt > 1 ? `-${attempt}` : ''}`;
}
