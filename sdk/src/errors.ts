/** Base class of all errors of this package. `code` is stable; `docsPage` is the page that explains it. */
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

  get docsPage(): string {
    return `docs/errors/${this.code}.md`;
  }
}

type ErrorDetails = { requestId?: string | undefined; retryable?: boolean; cause?: unknown };

/** The service could not be reached, or the connection broke. Whether the request was processed is unknown. */
export class NetworkError extends MillraceError {
  override name = "NetworkError";
  constructor(message: string, cause?: unknown) {
    super("network_error", message, { retryable: true, cause });
  }
}

/** No response or no result within the timeout. */
export class TimeoutError extends MillraceError {
  override name = "TimeoutError";
  constructor(message: string) {
    super("timeout", message, { retryable: true });
  }
}

export type SignatureErrorReason = "missing" | "malformed" | "too_old" | "too_new" | "mismatch" | "bad_secret";

/** A request with an invalid or missing signature. */
export class SignatureError extends MillraceError {
  override name = "SignatureError";
  readonly reason: SignatureErrorReason;
  constructor(reason: SignatureErrorReason, message: string) {
    super("signature_invalid", message);
    this.reason = reason;
  }
}
