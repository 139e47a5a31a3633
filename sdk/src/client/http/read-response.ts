import { type ApiError, apiError, type FieldError } from "./api-error.ts";

/** Parses a response body: JSON, text, or undefined if empty. */
export async function parseBody(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (text === "") return undefined;
  if (!isJson(response.headers.get("content-type"))) return text;
  return JSON.parse(text);
}

/** Reads both error shapes: the problem with `detail` and `errors`, and the plain `{error, code, request_id}`. */
export async function readError(response: Response, method: string, path: string): Promise<ApiError> {
  const body = await parseBody(response).catch(() => undefined);
  const problem = (typeof body === "object" && body !== null ? body : {}) as Partial<ErrorBody>;
  const fallback = `${method} ${path} returned ${response.status}${typeof body === "string" ? `: ${body.slice(0, 500)}` : ""}`;
  return apiError({
    status: response.status,
    code: problem.code ?? `http_${response.status}`,
    message: problem.detail ?? problem.error ?? fallback,
    requestId: problem.request_id ?? response.headers.get("x-request-id") ?? undefined,
    fields: problem.errors ?? [],
    retryAfterSecs: retryAfterOf(response),
    body,
    method,
    path,
    url: response.url,
  });
}

type ErrorBody = { code: string; detail: string; error: string; request_id: string; errors: FieldError[] };

function isJson(contentType: string | null): boolean {
  return /^application\/([\w.-]+\+)?json\b/.test(contentType ?? "");
}

/** Seconds, or an HTTP date. */
function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get("retry-after");
  if (text === null) return undefined;
  const secs = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isNaN(secs) ? undefined : Math.max(0, secs);
}
