import type { ClientCore } from "../client/create-core.ts";
import { textOf } from "./records.ts";

export type ServeAnswer = { status: number; headers: Record<string, string>; body: string };

type Failure = { error: { code: string; message: string }; retryable: boolean; retry_after_secs: number | null };
type Line = { core: ClientCore; runId: string; token: string };

/**
 * Tells the service why the attempt failed, in the job's own words. That call is the end of the attempt, so the answer to
 * the dispatch says nothing more; when it does not come through, the status of the answer says as much as it can.
 */
export async function reportFailure({ core, runId, token }: Line, error: unknown): Promise<ServeAnswer> {
  const failure = failureOf(error);
  try {
    await core.request("POST", `/sdk/v1/runs/${runId}/fail`, {
      body: failure,
      headers: { authorization: `Bearer ${token}` },
      safe: true,
    });
    return answer(200, { reported: "failed", ...failure.error });
  } catch {
    const status = failure.retryable ? (failure.retry_after_secs === null ? 500 : 503) : 422;
    const after = failure.retry_after_secs;
    return {
      ...answer(status, failure.error),
      ...(after !== null && { headers: jsonHeaders({ "retry-after": `${after}` }) }),
    };
  }
}

function failureOf(error: unknown): Failure {
  const message = textOf(error) || "The job failed and said nothing.";
  const { name, code, retryAfterSecs } = (error ?? {}) as { name?: string; code?: unknown; retryAfterSecs?: number };
  const told = { code: typeof code === "string" && code !== "" ? code.slice(0, 100) : "failed", message };
  // By name: the job may have another copy of this package.
  const isFinal = name === "NonRetryableError" || name === "CanceledError" || name === "SchemaError";
  const isLater = name === "RetryAfterError";
  return {
    error: told,
    retryable: !isFinal,
    retry_after_secs: isLater && retryAfterSecs !== undefined ? retryAfterSecs : null,
  };
}

export function answer(status: number, body: unknown): ServeAnswer {
  return { status, headers: jsonHeaders(), body: JSON.stringify(body) };
}

function jsonHeaders(others: Record<string, string> = {}): Record<string, string> {
  return { "content-type": "application/json", ...others };
}
