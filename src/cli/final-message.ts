// The answer as stdout gets it: as it is for people and scripts, and harmless where a runner reads along. Pure.

/**
 * `message`, and under GITHUB_ACTIONS with the two tokens broken that make a runner read a command: `::` at the start of a line and
 * `##[` anywhere (threats.md, D3).
 */
export function renderFinalMessage(message: string, env: Readonly<Record<string, string | undefined>>): string {
  if (env.GITHUB_ACTIONS !== 'true') return message;
  return message.replaceAll(/^([\s\p{Cf}]*):(?=:)/gmu, '$1: ').replaceAll(/##(?=\[)/g, '# #');
}
