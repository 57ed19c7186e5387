/** Remembers every request with its answer, in the order of arrival, for a test's assertions. */

export interface RecordedRequest {
  readonly kind: 'rest' | 'graphql' | 'git' | 'artifact' | 'attachment';
  readonly method: string;
  /** Without host and query; for REST without the base path too. */
  readonly path: string;
  /** The route as the documentation writes it, e.g. `/repos/{owner}/{repo}`; null when nothing here answers to the path. */
  readonly route: string | null;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined for none and for bytes. */
  readonly body: unknown;
  /** 0 while the answer is not there yet, and when the connection was cut. */
  readonly status: number;
  /** The login behind the token; null without one. */
  readonly actor: string | null;
  /** The JSON or text that was sent; undefined for bytes. */
  readonly responseBody: unknown;
}

type Answer = Partial<Pick<RecordedRequest, 'route' | 'status' | 'actor' | 'responseBody' | 'body'>>;

export interface Journal {
  readonly entries: readonly RecordedRequest[];
  /** Notes a request and gives the function that completes its entry. */
  begin(request: Pick<RecordedRequest, 'kind' | 'method' | 'path' | 'query'>): (answer: Answer) => void;
}

export function createJournal(): Journal {
  const entries: RecordedRequest[] = [];
  return {
    entries,
    begin(request) {
      const at = entries.length;
      let entry: RecordedRequest = { ...request, route: null, body: undefined, status: 0, actor: null, responseBody: undefined };
      entries.push(entry);
      return (answer) => {
        entry = { ...entry, ...answer };
        entries[at] = entry;
      };
    },
  };
}
