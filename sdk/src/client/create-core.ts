import { type ClientOptions, type Connection, connectionOf } from "./http/connection.ts";
import { paginate } from "./http/paginate.ts";
import type { StreamEvent } from "./http/parse-events.ts";
import { parseBody } from "./http/read-response.ts";
import { type Method, type QueryValue, type RequestOptions, send } from "./http/send.ts";
import { type StreamOptions, stream } from "./http/stream.ts";

/**
 * A response with its status and headers.
 *
 * @example
 * const response: RawResponse<{ status: string }> = await client.requestRaw("GET", "/health");
 * console.log(response.status, response.headers.get("x-request-id"), response.body.status);
 */
export type RawResponse<T> = { status: number; headers: Headers; body: T };

/**
 * The untyped core that the rest of the client is built on.
 *
 * @example
 * async function version(core: ClientCore) {
 *   return (await core.request<{ version: string }>("GET", "/v1/system")).version;
 * }
 */
export type ClientCore = {
  baseUrl: string;
  /** Returns the parsed body of a 2xx response: JSON, text, or undefined if empty. Other responses throw. */
  request: <T = unknown>(method: Method, path: string, options?: RequestOptions) => Promise<T>;
  /** Like `request`, with status and headers. */
  requestRaw: <T = unknown>(method: Method, path: string, options?: RequestOptions) => Promise<RawResponse<T>>;
  /** Iterates over every row of a paginated list. */
  paginate: <T = unknown>(
    path: string,
    query?: Readonly<Record<string, QueryValue>>,
    options?: { signal?: AbortSignal | undefined },
  ) => AsyncGenerator<T, void, undefined>;
  /** Reads server-sent events, and reconnects automatically. */
  stream: <T = unknown>(path: string, options?: StreamOptions) => AsyncGenerator<StreamEvent<T>, void, undefined>;
};

export function createCore(options: ClientOptions = {}): ClientCore {
  return coreOver(connectionOf(options));
}

export function coreOver(connection: Connection): ClientCore {
  const requestRaw = <T>(method: Method, path: string, options: RequestOptions = {}): Promise<RawResponse<T>> =>
    send(connection, { method, path, options }, async (response) => {
      const { status, headers } = response;
      return { status, headers, body: (await parseBody(response)) as T };
    });
  const request = async <T>(method: Method, path: string, options?: RequestOptions) =>
    (await requestRaw<T>(method, path, options)).body;
  return {
    baseUrl: connection.baseUrl,
    request,
    requestRaw,
    paginate: <T>(
      path: string,
      query?: Readonly<Record<string, QueryValue>>,
      { signal }: { signal?: AbortSignal | undefined } = {},
    ) => paginate<T>((at, options) => request("GET", at, options), path, query, signal),
    stream: <T>(path: string, options?: StreamOptions) =>
      stream(connection, path, options) as AsyncGenerator<StreamEvent<T>, void, undefined>,
  };
}
