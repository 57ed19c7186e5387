// What is recorded of pictures: which models see none, and how many a server takes in one request; data only. All else is learnt from refusals.
import type { Connection } from './connection.ts';

/** Of one request. `chars`: of base64, all together. `crowd`: how many at most where one of them has more than `crowdSide` pixels a side. */
export interface PictureLimits {
  readonly count: number;
  readonly chars: number;
  readonly crowd: number;
}

/** Source: Anthropic, Vision: with more than 20 images in a request each may have 2000 × 2000 pixels. */
export const crowdSide = 2_000;

const MiB = 1024 * 1024;
/** Of vendors without such a rule. */
const noCrowd = Number.POSITIVE_INFINITY;

/** Source: Anthropic, Vision: 100 images; a request has 32 MB, of which the texts need a part. */
const anthropic: PictureLimits = { count: 100, chars: 24 * MiB, crowd: 20 };
/** Compatible servers have limits of their own, which few of them document. */
const compatible: PictureLimits = { count: 20, chars: 16 * MiB, crowd: noCrowd };

/** The first whose pattern is found in the endpoint's origin counts. */
const servers: readonly (readonly [RegExp, Partial<PictureLimits>])[] = [
  // Source: OpenAI, Images and vision: 500 images and 50 MB.
  [/^https:\/\/(?:[a-z]+\.)?api\.openai\.com(?:\/|$)/, { count: 100, chars: 32 * MiB }],
  // Source: Groq, Images and vision: 5 images, and 4 MB of base64 in a request.
  [/^https:\/\/api\.groq\.com(?:\/|$)/, { count: 5, chars: 3.5 * MiB }],
  // Source: Mistral, Vision: 8 images.
  [/^https:\/\/api\.mistral\.ai(?:\/|$)/, { count: 8 }],
  // Source: Scaleway, How to query vision models: 12 images.
  [/^https:\/\/api\.scaleway\.ai(?:\/|$)/, { count: 12 }],
];

/** What the server of a connection takes. */
export function pictureLimitsOf({ vendor, endpoint }: Pick<Connection, 'vendor' | 'endpoint'>): PictureLimits {
  const ofVendor = vendor.provider === 'anthropic' ? anthropic : compatible;
  return { ...ofVendor, ...servers.find(([pattern]) => pattern.test(endpoint.identity))?.[1] };
}

/** By the last part of a name, without date or size. Only models whose makers say so: one that is wrongly listed would be blind. */
const textModels: readonly RegExp[] = [
  /^gpt-3\.5/,
  /^gpt-4(?:-32k)?(?:-0314|-0613)?$/,
  /^gpt-oss/,
  /^o[13]-mini/,
  /^o1-preview/,
  /^claude-(?:2|instant)/,
  // Of later ones the documentation and the reports contradict each other.
  /^deepseek-(?:chat|reasoner|coder|r1|v[23])(?![a-z])/,
  /^kimi-k2(?:-|$)/,
  /^qwen-?[\d.]*-coder|^qwq-/,
  /^glm-4\.[56](?:-|$)/,
  /^codestral|^mixtral|^open-mi/,
  /^(?:meta-)?llama-3(?:\.[13])?-\d+b/,
];

/** Whether it is known of a model that it sees no pictures; behind a gateway its maker's name stands before its own. */
export function isTextModel(model: string): boolean {
  const name = model.toLowerCase().split('/').at(-1) ?? '';
  return textModels.some((pattern) => pattern.test(name));
}
