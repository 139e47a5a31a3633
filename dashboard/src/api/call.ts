import { ApiProblem, readProblem, unreachable } from "./problem.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Query = Record<string, string | number | boolean | undefined | null>;
type Options = {
  query?: Query;
  body?: unknown;
  project?: string | undefined;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

const WAIT_MS = 30_000;

/** Calls the API. Resolves to the body as `T` (a contract type) or throws an ApiProblem. */
export async function call<T = undefined>(method: Method, path: string, options: Options = {}): Promise<T> {
  const response = await send(method, path, options);
  if (response.ok) return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  const problem = await readProblem(response);
  if (response.status === 401) dispatchEvent(new CustomEvent("signed-out", { detail: problem }));
  throw problem;
}

/** Drops parameters without a value; an empty string is a value. */
export function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? path : `${path}?${text}`;
}

async function send(
  method: Method,
  path: string,
  { query, body, project, signal, headers }: Options,
): Promise<Response> {
  const timeout = AbortSignal.timeout(WAIT_MS);
  try {
    return await fetch(withQuery(path, query), {
      method,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        ...(project && { "x-project-id": project }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (error instanceof ApiProblem || signal?.aborted) throw error;
    throw unreachable(method, timeout.aborted);
  }
}
