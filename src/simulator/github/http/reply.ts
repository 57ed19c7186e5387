/** What a handler answers: a reply, or a refusal that it throws. */

export interface Reply {
  readonly status: number;
  /** JSON, or text or bytes with their `content-type` in `headers`. Undefined: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ValidationProblem {
  readonly resource?: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
}

const DOCUMENTATION = 'https://docs.github.com/rest';

/** A request that GitHub would turn down, with GitHub's words. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly errors: readonly ValidationProblem[] | readonly string[] | undefined;

  constructor(status: number, message: string, errors?: readonly ValidationProblem[] | readonly string[]) {
    super(message);
    this.status = status;
    this.errors = errors;
  }

  /** The problems as plain texts. */
  get texts(): readonly string[] {
    return (this.errors ?? [this.message]).map((error) => (typeof error === 'string' ? error : (error.message ?? error.code)));
  }

  get reply(): Reply {
    const errors = this.errors === undefined ? {} : { errors: this.errors };
    return {
      status: this.status,
      body: { message: this.message, ...errors, documentation_url: DOCUMENTATION, status: String(this.status) },
    };
  }
}

/** 200 (or another status) with a JSON body. */
export function json(body: unknown, status = 200): Reply {
  return { status, body };
}

/** 204. */
export function noContent(): Reply {
  return { status: 204 };
}

/** 404, as GitHub words it. */
export function notFound(): Refusal {
  return new Refusal(404, 'Not Found');
}

/** 422 with one problem. */
export function invalid(problem: ValidationProblem): Refusal {
  return new Refusal(422, 'Validation Failed', [problem]);
}
