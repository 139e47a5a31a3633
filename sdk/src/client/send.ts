import { MillraceError, NetworkError, TimeoutError } from "../errors.ts";
import { ApiError } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import { pause } from "./pause.ts";
import { readError } from "./read-answer.ts";

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

export type QueryValue = string | number | boolean | Date | null | undefined | readonly (string | number)[];

export type RequestOptions = {
  /** Undefined and null are left out; lists are joined by commas; dates are written as ISO 8601. */
  query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Anything JSON can hold. */
  body?: unknown;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  /** Makes a POST safe to repeat: the service answers the first result again. */
  idempotencyKey?: string | undefined;
  /** The call may be repeated although it is no GET and has no key: doing it twice is doing it once. */
  safe?: boolean | undefined;
  /** Milliseconds for one try, in place of the client's. */
  timeout?: number | undefined;
  /** How often a safe call is repeated, in place of the client's. */
  retries?: number | undefined;
};

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;

type Asked = { method: Method; path: string; options: RequestOptions };

/** One call, repeated where that is safe. `take` reads an answer of 2xx; everything else is thrown. */
export async function send<T>(
  connection: Connection,
  { method, path, options }: Asked,
  take: (response: Response) => Promise<T>,
): Promise<T> {
  const retries = options.retries ?? connection.retries;
  for (let turn = 0; ; turn++) {
    options.signal?.throwIfAborted();
    try {
      return await sendOnce(connection, { method, path, options }, take);
    } catch (error) {
      if (turn >= retries || !mayRepeat(error, method, options)) throw error;
      const delay = delayMs(error, turn);
      if (delay > connection.maxRetryAfter * 1_000) throw error;
      await pause(delay, options.signal);
    }
  }
}

/** What was refused for its rate has not been done: it may be sent again whatever it is. */
function mayRepeat(error: unknown, method: Method, options: RequestOptions): boolean {
  if (!(error instanceof MillraceError) || !error.retryable) return false;
  if (error instanceof ApiError && error.status === 429) return true;
  return options.safe === true || method === "GET" || method === "HEAD" || (method === "POST" && hasKey(options));
}

function hasKey({ idempotencyKey, headers }: RequestOptions): boolean {
  return idempotencyKey !== undefined || Object.keys(headers ?? {}).some((name) => /^idempotency-key$/i.test(name));
}

/** `Retry-After` is a least; without it full jitter over a doubling time. */
function delayMs(error: unknown, turn: number): number {
  const wished = error instanceof ApiError ? error.retryAfter : undefined;
  const jitter = Math.random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** turn);
  return wished === undefined ? jitter : wished * 1_000 + jitter / 2;
}

async function sendOnce<T>(
  connection: Connection,
  { method, path, options }: Asked,
  take: (response: Response) => Promise<T>,
): Promise<T> {
  const timeout = options.timeout ?? connection.timeout;
  const limit = timeout > 0 ? AbortSignal.timeout(timeout) : undefined;
  const signals = [limit, options.signal].filter((each) => each !== undefined);
  try {
    const response = await connection.fetch(`${connection.baseUrl}${path}${queryString(options.query)}`, {
      method,
      headers: headersOf(connection, options),
      redirect: "manual",
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    });
    if (!response.ok) throw await readError(response, method, path);
    return await take(response);
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    if (options.signal?.aborted) throw options.signal.reason;
    if (limit?.aborted) throw new TimeoutError(`${method} ${path} had no answer within ${timeout} ms`);
    throw new NetworkError(`${method} ${connection.baseUrl}${path}: ${causeOf(error)}`, error);
  }
}

function headersOf(connection: Connection, { body, headers, idempotencyKey }: RequestOptions): Record<string, string> {
  return {
    accept: "application/json",
    ...(body !== undefined && { "content-type": "application/json" }),
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

/** fetch says only "fetch failed"; its cause says why. */
function causeOf(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string; code?: string }; message?: string };
  return cause?.message || cause?.code || message || "the connection failed";
}
