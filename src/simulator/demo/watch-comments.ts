/** Remembers what a comment of the bot's looked like on its way. Reads the simulated GitHub, changes nothing. */
import type { SimulatedGitHub } from '../github/contract.ts';

export const BOT = 'github-actions[bot]';

// Edits come seconds apart; this misses none and costs nothing.
const INTERVAL_MS = 50;

/** Watches until `stop`, which gives every text that the bot's comments have had, in order. */
export function watchComments(github: SimulatedGitHub, issue: number): { stop(): readonly string[] } {
  const seen: string[] = [];
  const look = (): void => {
    for (const comment of github.snapshot().comments) {
      if (comment.issue === issue && comment.author === BOT && !seen.includes(comment.body)) seen.push(comment.body);
    }
  };
  const timer = setInterval(look, INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return seen;
    },
  };
}
