/** Every error of this package. `code` is stable; `docsPage` is the page of the documentation that explains it. */
export class MillraceError extends Error {
  override name = "MillraceError";
  readonly code: string;
  readonly requestId: string | undefined;
  /** The same call, made again, may succeed. */
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

/** The service could not be reached, or the connection broke. Whether it acted is unknown. */
export class NetworkError extends MillraceError {
  override name = "NetworkError";
  constructor(message: string, cause?: unknown) {
    super("network_error", message, { retryable: true, cause });
  }
}

/** No answer, or no result, within the time the caller gave. */
export class TimeoutError extends MillraceError {
  override name = "TimeoutError";
  constructor(message: string) {
    super("timeout", message, { retryable: true });
  }
}

export type SignatureFault = "missing" | "malformed" | "too_old" | "too_new" | "mismatch" | "bad_secret";

/** A request that claims to come from the service, and does not prove it. */
export class SignatureError extends MillraceError {
  override name = "SignatureError";
  readonly reason: SignatureFault;
  constructor(reason: SignatureFault, message: string) {
    super("signature_invalid", message);
    this.reason = reason;
  }
}
