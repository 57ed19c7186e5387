// What a step's process finds around it, put there by NODE_OPTIONS before dist runs: another internet, a faster clock. Knows no product.

/** The `env` of a step in which requests to `vendors` (origin → origin on loopback) go there, and no other host but loopback is reached. */
export function withInternet(vendors: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return preload(`
    const vendors = ${JSON.stringify(vendors)};
    const send = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const known = vendors[url.origin];
      if (known !== undefined) return send(known + url.pathname + url.search, init);
      if (url.hostname === '127.0.0.1' || url.hostname.endsWith('localhost')) return send(input, init);
      return Promise.reject(new TypeError('no such host: ' + url.host));
    };
  `);
}

/** The `env` of a step whose clock runs `factor` times as fast. */
export function withFastClock(factor: number): Readonly<Record<string, string>> {
  return preload(`
    const { default: timers } = await import('node:timers/promises');
    const { syncBuiltinESMExports } = await import('node:module');
    const now = performance.now.bind(performance);
    performance.now = () => now() * ${factor};
    const begin = Date.now();
    const real = Date;
    globalThis.Date = class extends real {
      constructor(...parts) { if (parts.length === 0) super(begin + (real.now() - begin) * ${factor}); else super(...parts); }
      static now() { return begin + (real.now() - begin) * ${factor}; }
    };
    const wait = timers.setTimeout;
    timers.setTimeout = (ms, ...rest) => wait(ms / ${factor}, ...rest);
    const later = globalThis.setTimeout;
    globalThis.setTimeout = (callback, ms, ...rest) => later(callback, ms / ${factor}, ...rest);
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => timeout(Math.ceil(ms / ${factor}));
    syncBuiltinESMExports();
  `);
}

/**
 * The `env` of a step that says at its end, on a line of stderr, the most memory that it held: `max_rss_kb=123`. Not `resourceUsage()`, in which
 * Linux counts what the process that started it held before it became the step.
 */
export function withMaxRss(): Readonly<Record<string, string>> {
  return preload(`
    const { readFileSync } = await import('node:fs');
    const held = () => /VmHWM:\\s*(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
    process.on('exit', () => process.stderr.write('max_rss_kb=' + held() + '\\n'));
  `);
}

function preload(code: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
