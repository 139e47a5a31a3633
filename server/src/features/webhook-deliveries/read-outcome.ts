import type { Sent } from "../../platform/outgoing/sent.ts";

/** The outcome of one attempt. */
export type DeliveryOutcome =
  | { kind: "delivered"; status_code: number; duration_ms: number }
  | { kind: "refused"; status_code: number | null; error: string; duration_ms: number }
  | { kind: "retryable"; status_code: number | null; error: string; duration_ms: number }
  /** Not the receiver's fault: the attempt does not count. */
  | { kind: "aborted"; error: string; delay_secs: number };

const MAX_EXCERPT_LENGTH = 2_000;

/**
 * Derives a delivery's outcome from the receiver's response or the lack of one. Redirects are not followed: they count
 * as a rejection.
 */
export function readOutcome(sent: Sent, said: string | null = null): DeliveryOutcome {
  if (sent.kind === "failed") return readFailure(sent);
  const { status, duration_ms } = sent;
  if (status >= 200 && status < 300) return { kind: "delivered", status_code: status, duration_ms };
  const error = `The receiver responded with ${status}${excerpt(said ?? "")}`;
  return { kind: status >= 500 ? "retryable" : "refused", status_code: status, error, duration_ms };
}

/** A forbidden address stays forbidden; other network errors may be temporary. */
function readFailure({ reason, message, duration_ms }: Extract<Sent, { kind: "failed" }>): DeliveryOutcome {
  if (reason === "aborted")
    return { kind: "aborted", error: "The service shut down before the receiver responded.", delay_secs: 0 };
  const kind = reason === "refused_address" ? "refused" : "retryable";
  return { kind, status_code: null, error: message, duration_ms };
}

/** The start of the response body. */
function excerpt(said: string): string {
  const text = said.slice(0, MAX_EXCERPT_LENGTH).trim();
  return text === "" ? "." : `: ${text}`;
}
