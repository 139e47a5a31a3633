import { MillraceError } from "../errors.ts";

/** A validation error: `body.steps[2].event_key`, the message, and the rejected value. */
export type FieldError = { location: string; message: string; value?: unknown };

export type ApiErrorDetails = {
  status: number;
  code: string;
  message: string;
  requestId: string | undefined;
  fields: FieldError[];
  /** Seconds, from `Retry-After`. */
  retryAfter: number | undefined;
  body: unknown;
  method: string;
  path: string;
};

/** An error response of the service. Subclasses distinguish the HTTP status. */
export class ApiError extends MillraceError {
  override name = "ApiError";
  readonly status: number;
  readonly fields: FieldError[];
  readonly retryAfter: number | undefined;
  /** The response body as received. */
  readonly body: unknown;
  readonly method: string;
  readonly path: string;

  constructor(details: ApiErrorDetails, retryable = false) {
    super(details.code, details.message, { requestId: details.requestId, retryable });
    this.status = details.status;
    this.fields = details.fields;
    this.retryAfter = details.retryAfter;
    this.body = details.body;
    this.method = details.method;
    this.path = details.path;
  }
}

export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}

export class PermissionError extends ApiError {
  override name = "PermissionError";
}

export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

export class ConflictError extends ApiError {
  override name = "ConflictError";
}

/** The key has already received a different payload, or its wait has ended. */
export class EventConflictError extends ConflictError {
  override name = "EventConflictError";
}

export class ValidationError extends ApiError {
  override name = "ValidationError";
}

/** Too many requests. Retry after `retryAfter` seconds. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}

/** A quota is exceeded; waiting alone does not help. `max` is the quota if the service states it. */
export class QuotaExceededError extends ApiError {
  override name = "QuotaExceededError";
  get max(): number | undefined {
    const found = /\b(\d[\d,]*)\b/.exec(this.message)?.[1];
    return found === undefined ? undefined : Number(found.replaceAll(",", ""));
  }
}

export class ServerError extends ApiError {
  override name = "ServerError";
}

/** Creates the error for a response other than 2xx. */
export function apiError(details: ApiErrorDetails): ApiError {
  const { status, code } = details;
  if (status === 401) return new AuthenticationError(details);
  if (status === 402) return new QuotaExceededError(details);
  if (status === 403) return new PermissionError(details);
  if (status === 404) return new NotFoundError(details);
  if (status === 409 && EVENT_CONFLICTS.has(code)) return new EventConflictError(details);
  if (status === 409) return new ConflictError(details);
  if (status === 422) return new ValidationError(details);
  if (status === 429 && QUOTAS.has(code)) return new QuotaExceededError(details);
  if (status === 429) return new RateLimitError(details, true);
  if (status >= 500) return new ServerError(details, true);
  return new ApiError(details);
}

const EVENT_CONFLICTS = new Set(["event_already_received", "event_trigger_ended"]);
const QUOTAS = new Set(["event_trigger_quota", "event_buffer_full", "quota_exceeded"]);
