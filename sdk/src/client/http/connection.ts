import { MillraceError } from "../../errors.ts";

/**
 * Options of `createClient`.
 *
 * @example
 * const options: ClientOptions = { baseUrl: "https://jobs.example.com", retries: 5, timeoutMs: 10_000 };
 * const client = createClient(options);
 */
export type ClientOptions = {
  /** URL of the service. Default: `MILLRACE_BASE_URL`, or `http://localhost:8787`. */
  baseUrl?: string;
  /** An API key, a run token or a scoped token. Default: `MILLRACE_API_KEY`. */
  apiKey?: string;
  /** Required only with the internal secret; an API key implies its project. Default: `MILLRACE_PROJECT_ID`. */
  projectId?: string;
  /** Replaces the global fetch. */
  fetch?: typeof globalThis.fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Maximum number of retries of a call that is safe to repeat. Default: 2. */
  retries?: number;
  /** The longest `Retry-After` to wait for, in seconds. Longer ones throw the error. Default: 60. */
  maxRetryAfterSecs?: number;
  /** Timeout of one try in milliseconds. 0 disables it. Default: 90,000. */
  timeoutMs?: number;
};

/** Resolved connection settings. */
export type Connection = {
  baseUrl: string;
  headers: Record<string, string>;
  fetch: typeof globalThis.fetch;
  retries: number;
  maxRetryAfterSecs: number;
  timeoutMs: number;
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
    // Called without a receiver: browsers reject a fetch that is bound to another object.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    retries: options.retries ?? 2,
    maxRetryAfterSecs: options.maxRetryAfterSecs ?? 60,
    timeoutMs: options.timeoutMs ?? 90_000,
  };
}

function readBaseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new MillraceError("bad_base_url", `baseUrl must be a URL such as http://localhost:8787, not ${text}`);
  }
  return text.replace(/\/+$/, "");
}

/** Not every runtime has `process`. */
function env(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
