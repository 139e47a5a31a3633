import type { IncomingHttpHeaders } from "node:http";
import { errors } from "undici";
import { ConnectFailure } from "./connect-failure.ts";

/** The outcome of one outgoing request. Any status is a response, 3xx included. */
export type Sent =
  | {
      kind: "responded";
      status: number;
      headers: IncomingHttpHeaders;
      body: Buffer;
      /** The body was longer than the cap; `body` holds its beginning. */
      truncated: boolean;
      duration_ms: number;
    }
  | {
      kind: "failed";
      reason: FailureReason;
      message: string;
      /** False: not a byte of the request has left, because there was no connection. */
      was_sent: boolean;
      duration_ms: number;
    };

export type FailureReason = ConnectFailure["reason"] | "timeout" | "reset" | "aborted" | "protocol";

/** Describes a failure in our own words, with the error's code: an endpoint's text is never included. */
export function explainFailure(error: Error): { reason: FailureReason; message: string } {
  if (error instanceof ConnectFailure) return { reason: error.reason, message: error.message };
  if (error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError) {
    return { reason: "aborted", message: "The service is shutting down." };
  }

  // undici leaves the code of its parser's errors undefined.
  const { code = error.name, syscall } = error as NodeJS.ErrnoException;
  if (syscall || isClosed(error)) {
    return {
      reason: "reset",
      message: `The endpoint closed the connection before its response was complete (${code}).`,
    };
  }
  if (code.startsWith("ERR_SSL")) return { reason: "tls", message: `The TLS connection failed (${code}).` };
  if (REQUEST_MISTAKES.has(code)) return { reason: "protocol", message: `The request is not valid HTTP (${code}).` };
  return { reason: "protocol", message: `The endpoint's response is not valid HTTP (${code}).` };
}

const REQUEST_MISTAKES = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
]);

/** undici reports an unsolicited 100 or 101 as a closed socket too, with the words "bad response" and "bad upgrade". */
function isClosed(error: Error): boolean {
  return error instanceof errors.SocketError && !error.message.startsWith("bad ");
}
