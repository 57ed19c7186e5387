// Costs as people read them. Pure.
import type { Cost } from './cost.ts';

/** `$0.06`, `$1,234.50`; below half a cent `less than $0.01`. */
export function renderUsd(usd: number): string {
  if (usd > 0 && usd < 0.005) return 'less than $0.01';
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** What was given as a limit, with all its decimals: `$2.00`, `$0.005`. */
export function renderBudget(usd: number): string {
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 9 })}`;
}

/** The figure alone, for a line of figures: undefined where nothing is paid, or nothing of it is known. */
export function renderCost({ usd, unpricedModels }: Cost): string | undefined {
  if (usd === 0) return undefined;
  return unpricedModels.length === 0 ? renderUsd(usd) : `more than ${renderUsd(usd)}`;
}

/** What is known and what is not, in words that go on after "cost"; undefined where nothing is paid. */
export function describeCost(cost: Cost): string | undefined {
  const { usd, unpricedModels } = cost;
  if (unpricedModels.length === 0) return renderCost(cost);
  const missing = `no price for ${unpricedModels.join(', ')}`;
  return usd === 0 ? `not known, ${missing}` : `${renderCost(cost)}, ${missing}`;
}
