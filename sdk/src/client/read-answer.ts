import { type ApiError, apiError, type FieldFault } from "./api-error.ts";

/** The parsed body of an answer: JSON, else text; undefined when there is none. */
export async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (text === "") return undefined;
  if (!isJson(response.headers.get("content-type"))) return text;
  return JSON.parse(text);
}

/** Reads both shapes of an error: the problem with `detail` and `errors`, and the plain `{error, code, request_id}`. */
export async function readError(response: Response, method: string, path: string): Promise<ApiError> {
  const body = await readAnswer(response).catch(() => undefined);
  const told = (typeof body === "object" && body !== null ? body : {}) as Partial<Told>;
  const fallback = `${method} ${path} answered ${response.status}${typeof body === "string" ? `: ${body.slice(0, 500)}` : ""}`;
  return apiError({
    status: response.status,
    code: told.code ?? `http_${response.status}`,
    message: told.detail ?? told.error ?? fallback,
    requestId: told.request_id ?? response.headers.get("x-request-id") ?? undefined,
    fields: told.errors ?? [],
    retryAfter: retryAfterOf(response),
    body,
    method,
    path,
  });
}

type Told = { code: string; detail: string; error: string; request_id: string; errors: FieldFault[] };

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
