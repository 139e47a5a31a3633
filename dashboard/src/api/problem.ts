import type { ProblemError } from "@millrace/contract/schema/problem";

/** Every error in the dashboard: title, cause, remedy and the request id. */
export type ProblemFields = {
  title: string;
  detail: string;
  remedy: string;
  code: string;
  /** 0: no response. */
  status: number;
  request_id: string | undefined;
  errors: ProblemError[];
  /** When to retry after a 429 or 503. */
  retry_at: number | undefined;
  /** The raw response, for errors that carry extra fields. */
  body: Record<string, unknown>;
};

export class ApiProblem extends Error implements ProblemFields {
  declare title: string;
  declare detail: string;
  declare remedy: string;
  declare code: string;
  declare status: number;
  declare request_id: string | undefined;
  declare errors: ProblemError[];
  declare retry_at: number | undefined;
  declare body: Record<string, unknown>;

  constructor(fields: Partial<ProblemFields> & { title: string; detail: string }) {
    super(fields.detail);
    const empty = { remedy: "", code: "", status: 0, request_id: undefined, errors: [], retry_at: undefined, body: {} };
    Object.assign(this, empty, fields);
  }
}

/** Remedies for a person using the dashboard; those in the contract address programs. */
const REMEDIES: Record<string, string> = {
  unauthorized: "Sign in again.",
  session_expired: "Sign in again.",
  scope_missing: "Sign in with a key that has this scope, or with the internal secret.",
  not_found: "It may have been deleted, its retention period may have passed, or you don't have access to it.",
  internal_error: "Try again. If the error persists, search the service log for the request id.",
  service_unavailable: "Wait a moment and try again. No data was lost.",
};

export async function readProblem(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as Partial<ProblemFields> & Record<string, unknown>;
  const request_id = body.request_id ?? response.headers.get("x-request-id") ?? undefined;
  const after = Number(response.headers.get("retry-after"));
  const retry_at = after > 0 ? Date.now() + after * 1_000 : undefined;
  const { status } = response;
  if (!body.code) {
    const detail = `The service responded with HTTP ${status} and no details.`;
    const remedy = "Try again in a moment. A proxy between this page and the service may be the cause.";
    return new ApiProblem({ title: "Unexpected response", detail, remedy, status, request_id, retry_at });
  }
  return new ApiProblem({
    title: body.title ?? body.code,
    detail: body.detail ?? "",
    remedy: REMEDIES[body.code] ?? "",
    code: body.code,
    status,
    request_id,
    errors: body.errors ?? [],
    retry_at,
    body,
  });
}

export function unreachable(method: string, isTimeout: boolean): ApiProblem {
  const detail = isTimeout ? "The request timed out." : "Could not connect.";
  const check = "Check that Millrace is running, then try again.";
  const remedy = method === "GET" ? check : `${check} Before you do, check whether the change was applied.`;
  return new ApiProblem({ title: "The service is not responding", detail, remedy, code: "unreachable" });
}

export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiProblem({
    title: "Something went wrong on this page",
    detail,
    remedy: "Reload the page.",
    code: "page",
  });
}
