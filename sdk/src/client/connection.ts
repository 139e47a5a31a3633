import { MillraceError } from "../errors.ts";

export type ClientOptions = {
  /** Of the service, as `http://localhost:8787`. Else `MILLRACE_BASE_URL`, else that. */
  baseUrl?: string;
  /** An API key, a run token or a token for browsers. Else `MILLRACE_API_KEY`. */
  apiKey?: string;
  /** Needed only with the internal secret: an API key implies its project. Else `MILLRACE_PROJECT_ID`. */
  projectId?: string;
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** How often a call that is safe to repeat is repeated. 2 unless said. */
  retries?: number;
  /** The longest `Retry-After` that is waited for, in seconds; beyond it the error is thrown. 60 unless said. */
  maxRetryAfter?: number;
  /** Milliseconds for one try. 90,000 unless said; no limit with 0. */
  timeout?: number;
};

/** How to reach the service, with every default filled in. */
export type Connection = {
  baseUrl: string;
  headers: Record<string, string>;
  fetch: typeof globalThis.fetch;
  retries: number;
  maxRetryAfter: number;
  timeout: number;
};

export function connectionOf(options: ClientOptions): Connection {
  const apiKey = options.apiKey ?? env("MILLRACE_API_KEY");
  const projectId = options.projectId ?? env("MILLRACE_PROJECT_ID");
  return {
    baseUrl: readBaseUrl(options.baseUrl ?? env("MILLRACE_BASE_URL") ?? "http://localhost:8787"),
    headers: {
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(projectId !== undefined && { "x-project-id": projectId }),
      ...options.headers,
    },
    // Called without a receiver: browsers refuse a fetch that belongs to another object.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    retries: options.retries ?? 2,
    maxRetryAfter: options.maxRetryAfter ?? 60,
    timeout: options.timeout ?? 90_000,
  };
}

function readBaseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new MillraceError("bad_base_url", `baseUrl must be an address as http://localhost:8787, not ${text}`);
  }
  return text.replace(/\/+$/, "");
}

/** Not every runtime has a process. */
function env(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
