import { type ClientOptions, type Connection, connectionOf } from "./connection.ts";
import { paginate } from "./paginate.ts";
import type { StreamEvent } from "./parse-events.ts";
import { readAnswer } from "./read-answer.ts";
import { type Method, type QueryValue, type RequestOptions, send } from "./send.ts";
import { type StreamOptions, stream } from "./stream.ts";

export type RawAnswer<T> = { status: number; headers: Headers; body: T };

/** What everything else of the client is made of. */
export type ClientCore = {
  baseUrl: string;
  /** The parsed body of a 2xx answer: JSON, else text; undefined when there is none. Everything else is thrown. */
  request: <T = unknown>(method: Method, path: string, options?: RequestOptions) => Promise<T>;
  /** The same, with status and headers. */
  requestRaw: <T = unknown>(method: Method, path: string, options?: RequestOptions) => Promise<RawAnswer<T>>;
  /** Every row of a cursor list. */
  paginate: <T = unknown>(
    path: string,
    query?: Readonly<Record<string, QueryValue>>,
    options?: { signal?: AbortSignal | undefined },
  ) => AsyncGenerator<T, void, undefined>;
  /** Server-sent events; resumes by itself. */
  stream: <T = unknown>(path: string, options?: StreamOptions) => AsyncGenerator<StreamEvent<T>, void, undefined>;
};

export function createCore(options: ClientOptions = {}): ClientCore {
  return coreOver(connectionOf(options));
}

export function coreOver(connection: Connection): ClientCore {
  const requestRaw = <T>(method: Method, path: string, options: RequestOptions = {}): Promise<RawAnswer<T>> =>
    send(connection, { method, path, options }, async (response) => {
      const { status, headers } = response;
      return { status, headers, body: (await readAnswer(response)) as T };
    });
  const request = async <T>(method: Method, path: string, asked?: RequestOptions) =>
    (await requestRaw<T>(method, path, asked)).body;
  return {
    baseUrl: connection.baseUrl,
    request,
    requestRaw,
    paginate: <T>(
      path: string,
      query?: Readonly<Record<string, QueryValue>>,
      { signal }: { signal?: AbortSignal | undefined } = {},
    ) => paginate<T>((at, asked) => request("GET", at, asked), path, query, signal),
    stream: <T>(path: string, asked?: StreamOptions) =>
      stream(connection, path, asked) as AsyncGenerator<StreamEvent<T>, void, undefined>,
  };
}
