import { MillraceError, NetworkError, TimeoutError } from "../../errors.ts";
import { ApiError } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import { pause } from "./pause.ts";
import { readError } from "./read-response.ts";

/**
 * The method of a request.
 *
 * @example
 * const method: Method = "PATCH";
 * await client.request(method, "/v1/jobs/send-mail", { body: { enabled: false } });
 */
export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * A value of a query parameter.
 *
 * @example
 * const since: QueryValue = new Date(2026, 0, 1);
 * const rows = client.paginate("/v1/runs", { from: since });
 */
export type QueryValue = string | number | boolean | Date | null | undefined | readonly (string | number)[];

/**
 * Options of `client.request` and `client.requestRaw`.
 *
 * @example
 * const options: RequestOptions = { query: { limit: 10 }, timeoutMs: 5_000, retries: 0 };
 * const page = await client.request("GET", "/v1/runs", options);
 */
export type RequestOptions = {
  /** Undefined and null are omitted, lists are joined by commas, dates are formatted as ISO 8601. */
  query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Any JSON-serializable value. */
  body?: unknown;
  /** JSON text that is sent as it is, instead of `body`: with numbers that JavaScript would round. */
  bodyText?: string | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  /** Makes a POST safe to repeat: the service returns the first result again. */
  idempotencyKey?: string | undefined;
  /** Marks a call as idempotent, so that it is retried although it is not a GET and has no idempotency key. */
  safe?: boolean | undefined;
  /** Timeout of one try in milliseconds, instead of the client's. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries, instead of the client's. */
  retries?: number | undefined;
};

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

type RequestInput = { method: Method; path: string; options: RequestOptions };

/** Sends a request and retries it if that is safe. `take` reads a 2xx response; other responses throw. */
export async function send<T>(
  connection: Connection,
  { method, path, options }: RequestInput,
  take: (response: Response) => Promise<T>,
): Promise<T> {
  const retries = options.retries ?? connection.retries;
  for (let retry = 0; ; retry++) {
    options.signal?.throwIfAborted();
    try {
      return await sendOnce(connection, { method, path, options }, take);
    } catch (error) {
      if (retry >= retries || !canRetry(error, method, options)) throw error;
      const delay = delayMs(error, retry);
      if (delay > connection.maxRetryAfterSecs * 1_000) throw error;
      await pause(delay, options.signal);
    }
  }
}

/** Any rate-limited request can be retried, because it had no effect. */
function canRetry(error: unknown, method: Method, options: RequestOptions): boolean {
  if (!(error instanceof MillraceError) || !error.retryable) return false;
  if (error instanceof ApiError && error.status === 429) return true;
  return options.safe === true || method === "GET" || method === "HEAD" || (method === "POST" && hasKey(options));
}

function hasKey({ idempotencyKey, headers }: RequestOptions): boolean {
  return idempotencyKey !== undefined || Object.keys(headers ?? {}).some((name) => /^idempotency-key$/i.test(name));
}

/** `Retry-After` is a minimum. Without it: exponential backoff with full jitter. */
function delayMs(error: unknown, retry: number): number {
  const retryAfterSecs = error instanceof ApiError ? error.retryAfterSecs : undefined;
  const jitter = Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** retry);
  return retryAfterSecs === undefined ? jitter : retryAfterSecs * 1_000 + jitter / 2;
}

async function sendOnce<T>(
  connection: Connection,
  { method, path, options }: RequestInput,
  take: (response: Response) => Promise<T>,
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? connection.timeoutMs;
  const limit = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined;
  const signals = [limit, options.signal].filter((each) => each !== undefined);
  try {
    const bodyText = options.bodyText ?? JSON.stringify(options.body);
    const response = await connection.fetch(`${connection.baseUrl}${path}${queryString(options.query)}`, {
      method,
      headers: headersOf(connection, options),
      redirect: "manual",
      ...(bodyText !== undefined && { body: bodyText }),
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    });
    if (!response.ok) throw await readError(response, method, path);
    return await take(response);
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    if (options.signal?.aborted) throw options.signal.reason;
    if (limit?.aborted) throw new TimeoutError(`${method} ${path} got no response within ${timeoutMs} ms`);
    throw new NetworkError(`${method} ${connection.baseUrl}${path}: ${causeOf(error)}`, error);
  }
}

function headersOf(connection: Connection, options: RequestOptions): Record<string, string> {
  const { body, bodyText, headers, idempotencyKey } = options;
  return {
    accept: "application/json",
    ...((bodyText ?? body) !== undefined && { "content-type": "application/json" }),
    ...connection.headers,
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...headers,
  };
}

function queryString(query: RequestOptions["query"] = {}): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(asText(value))}`],
  );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function asText(value: NonNullable<QueryValue>): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** fetch only says "fetch failed"; the reason is in its cause. */
function causeOf(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string; code?: string }; message?: string };
  return cause?.message || cause?.code || message || "the connection failed";
}
