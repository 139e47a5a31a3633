import type { ClientCore } from "../client/create-core.ts";
import { textOf } from "./records.ts";

/**
 * The response of a handler, independent of a framework.
 *
 * @example
 * const toFetch = ({ status, headers, body }: ServeResponse) => new Response(body, { status, headers });
 */
export type ServeResponse = { status: number; headers: Record<string, string>; body: string };

type Failure = { error: { code: string; message: string }; retryable: boolean; retry_after_secs: number | null };
type Line = { core: ClientCore; runId: string; token: string };

/**
 * Reports the job's error to the service, which ends the attempt, so that the response to the dispatch no longer
 * matters. If the report fails, the response's status conveys what it can.
 */
export async function reportFailure({ core, runId, token }: Line, error: unknown): Promise<ServeResponse> {
  const failure = failureOf(error);
  try {
    await core.request("POST", `/sdk/v1/runs/${runId}/fail`, {
      body: failure,
      headers: { authorization: `Bearer ${token}` },
      safe: true,
    });
    return respond(200, { reported: "failed", ...failure.error });
  } catch {
    const status = failure.retryable ? (failure.retry_after_secs === null ? 500 : 503) : 422;
    const after = failure.retry_after_secs;
    return {
      ...respond(status, failure.error),
      ...(after !== null && { headers: jsonHeaders({ "retry-after": `${after}` }) }),
    };
  }
}

export function failureOf(error: unknown): Failure {
  const message = textOf(error) || "The job failed without a message.";
  const { name, code, retryAfterSecs } = (error ?? {}) as { name?: string; code?: unknown; retryAfterSecs?: number };
  const details = { code: typeof code === "string" && code !== "" ? code.slice(0, 100) : "failed", message };
  // Compared by name, since the job may use another copy of this package.
  const isFinal = name === "NonRetryableError" || name === "CanceledError" || name === "SchemaError";
  const isLater = name === "RetryAfterError";
  return {
    error: details,
    retryable: !isFinal,
    retry_after_secs: isLater && retryAfterSecs !== undefined ? retryAfterSecs : null,
  };
}

export function respond(status: number, body: unknown): ServeResponse {
  return { status, headers: jsonHeaders(), body: JSON.stringify(body) };
}

export function jsonHeaders(others: Record<string, string> = {}): Record<string, string> {
  return { "content-type": "application/json", ...others };
}
