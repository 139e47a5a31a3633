/**
 * Base class of all errors of this package. `code` is stable; `docsUrl` is the page that explains it.
 *
 * @example
 * try {
 *   await client.jobs.trigger(sendMail, { to: "ann@example.com" });
 * } catch (error) {
 *   if (error instanceof MillraceError) console.log(error.code, error.retryable, error.docsUrl);
 * }
 */
export class MillraceError extends Error {
  override name = "MillraceError";
  readonly code: string;
  readonly requestId: string | undefined;
  /** Whether repeating the same call may succeed. */
  readonly retryable: boolean;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.requestId = details.requestId;
    this.retryable = details.retryable ?? false;
  }

  /** The page of the service that answered; without one, its path. */
  get docsUrl(): string {
    return "/docs/reference/sdk";
  }
}

type ErrorDetails = { requestId?: string | undefined; retryable?: boolean; cause?: unknown };

/**
 * The service could not be reached, or the connection broke. Whether the request was processed is unknown.
 *
 * @example
 * if (error instanceof NetworkError) console.log("Is the service running?", error.message);
 */
export class NetworkError extends MillraceError {
  override name = "NetworkError";
  constructor(message: string, cause?: unknown) {
    super("network_error", message, { retryable: true, cause });
  }
}

/**
 * No response or no result within the timeout.
 *
 * @example
 * const end = await run.result({ timeout: "30s" }).catch((error) => {
 *   if (error instanceof TimeoutError) return undefined; // the run continues
 *   throw error;
 * });
 */
export class TimeoutError extends MillraceError {
  override name = "TimeoutError";
  constructor(message: string) {
    super("timeout", message, { retryable: true });
  }
}

/**
 * Why a signature was rejected.
 *
 * @example
 * const isClockOff = (reason: SignatureErrorReason) => reason === "too_old" || reason === "too_new";
 */
export type SignatureErrorReason = "missing" | "malformed" | "too_old" | "too_new" | "mismatch" | "bad_secret";

/**
 * A request with an invalid or missing signature.
 *
 * @example
 * const event = await verifyWebhook(rawBody, headers, secret).catch((error) => {
 *   if (error instanceof SignatureError) return undefined; // answer 401
 *   throw error;
 * });
 */
export class SignatureError extends MillraceError {
  override name = "SignatureError";
  readonly reason: SignatureErrorReason;
  constructor(reason: SignatureErrorReason, message: string) {
    super("signature_invalid", message);
    this.reason = reason;
  }
}
