/** GitHub's rate limits: requests an hour, and the secondary ones against bursts. Each actor has its own; the clock is the instance's. */
import type { Reply } from './reply.ts';
import type { Answer } from './server.ts';

/** How much is allowed; defaults are GitHub's documented numbers. */
export interface LimitSettings {
  /** Primary, an hour; default 1,000 for a workflow's own token, else 5,000. */
  readonly requestsPerHour?: number;
  /** Comments, issues, pull requests and reviews that are written. Default 80. */
  readonly contentPerMinute?: number;
  /** Default 500. */
  readonly contentPerHour?: number;
  /** One for a read, five for a write, each route apart. Default 900. */
  readonly pointsPerMinute?: number;
  /** Of all actors together. Default 100. */
  readonly concurrent?: number;
}

export interface LimitedRequest {
  readonly actor: string;
  readonly resource: 'core' | 'graphql';
  readonly route: string;
  readonly isWrite: boolean;
  /** Whether it writes what people are told about. */
  readonly isContent: boolean;
}

export interface Limits {
  /** Answers a request among those that are answered at this moment, or refuses it. */
  run(answer: () => Promise<Answer>): Promise<Answer>;
  /** Counts a request, or gives what it is answered instead. */
  take(request: LimitedRequest): Reply | undefined;
  /** A conditional request that was answered 304 does not count. */
  giveBack(request: Pick<LimitedRequest, 'actor' | 'resource'>): void;
  headers(request: Pick<LimitedRequest, 'actor' | 'resource'>): Readonly<Record<string, string>>;
}

const MINUTE = 60;
const HOUR = 3600;
const WRITE_POINTS = 5;
const TOO_MUCH = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
const ABOUT = 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits';

/** Counts by the instance's clock, in whole seconds. */
export function createLimits(seconds: () => number, settings: LimitSettings): Limits {
  const primary = createPrimary(seconds, settings.requestsPerHour);
  const secondary = createSecondary(seconds, settings);
  const { concurrent = 100 } = settings;
  let active = 0;
  return {
    async run(answer) {
      // Of the three forms that the documentation names, each limit here has one: this one tells no time.
      if (active >= concurrent) return { route: null, reply: { status: 403, body: refusal(TOO_MUCH) } };
      active += 1;
      try {
        return await answer();
      } finally {
        active -= 1;
      }
    },
    take: (request) => secondary(request) ?? primary.take(request),
    giveBack: primary.giveBack,
    headers: primary.headers,
  };
}

function refusal(message: string) {
  return { message, documentation_url: ABOUT };
}

interface Bucket {
  used: number;
  /** When it is empty again. */
  reset: number;
}

type Primary = Pick<Limits, 'take' | 'giveBack' | 'headers'>;

function createPrimary(seconds: () => number, perHour: number | undefined): Primary {
  const buckets = new Map<string, Bucket>();
  const limitOf = (actor: string): number => perHour ?? (actor === 'github-actions[bot]' ? 1000 : 5000);
  const bucketOf = ({ actor, resource }: Pick<LimitedRequest, 'actor' | 'resource'>): Bucket => {
    const key = `${resource} ${actor}`;
    const present = buckets.get(key);
    if (present !== undefined && present.reset > seconds()) return present;
    const fresh = { used: 0, reset: seconds() + HOUR };
    buckets.set(key, fresh);
    return fresh;
  };
  return {
    take(request) {
      const bucket = bucketOf(request);
      if (bucket.used >= limitOf(request.actor)) return exceeded(request);
      bucket.used += 1;
      return undefined;
    },
    giveBack(request) {
      bucketOf(request).used -= 1;
    },
    headers(request) {
      const { used, reset } = bucketOf(request);
      const limit = limitOf(request.actor);
      return {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(limit - used),
        'x-ratelimit-used': String(used),
        'x-ratelimit-reset': String(reset),
        'x-ratelimit-resource': request.resource,
      };
    },
  };
}

// GraphQL says it with the status 200.
function exceeded({ actor, resource }: LimitedRequest): Reply {
  const message = `API rate limit exceeded for ${actor}.`;
  if (resource === 'core') return { status: 403, body: refusal(message) };
  return { status: 200, body: { errors: [{ type: 'RATE_LIMITED', message }] } };
}

function createSecondary(seconds: () => number, settings: LimitSettings): (request: LimitedRequest) => Reply | undefined {
  const { contentPerMinute = 80, contentPerHour = 500, pointsPerMinute = 900 } = settings;
  const content = createWindows(seconds);
  const points = createWindows(seconds);
  return ({ actor, route, isContent, isWrite }) => {
    const wait = isContent
      ? Math.max(content.waitFor(actor, MINUTE, contentPerMinute), content.waitFor(actor, HOUR, contentPerHour))
      : 0;
    if (wait > 0) {
      const message =
        'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';
      return { status: 403, body: refusal(message), headers: { 'retry-after': String(wait) } };
    }
    const cost = isWrite ? WRITE_POINTS : 1;
    const rest = points.waitFor(`${actor} ${route}`, MINUTE, pointsPerMinute - cost + 1);
    if (rest > 0) {
      return { status: 429, body: refusal(TOO_MUCH), headers: { 'retry-after': String(rest) } };
    }
    if (isContent) content.note(actor, 1);
    points.note(`${actor} ${route}`, cost);
    return undefined;
  };
}

interface Windows {
  note(key: string, amount: number): void;
  /** Seconds until less than `limit` was noted within the last `span` seconds; 0 when that is so now. */
  waitFor(key: string, span: number, limit: number): number;
}

function createWindows(seconds: () => number): Windows {
  const notes = new Map<string, { readonly at: number; readonly amount: number }[]>();
  return {
    note(key, amount) {
      const list = notes.get(key) ?? [];
      notes.set(key, list);
      list.push({ at: seconds(), amount });
    },
    waitFor(key, span, limit) {
      const recent = (notes.get(key) ?? []).filter(({ at }) => at > seconds() - span);
      let sum = recent.reduce((total, { amount }) => total + amount, 0);
      for (const { at, amount } of recent) {
        if (sum < limit) return 0;
        sum -= amount;
        if (sum < limit) return at + span - seconds();
      }
      return 0;
    },
  };
}
