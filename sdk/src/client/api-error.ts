import { MillraceError } from "../errors.ts";

/** One fault of a request: `body.steps[2].event_key`, what is wrong with it, and what was sent. */
export type FieldFault = { location: string; message: string; value?: unknown };

export type ApiFault = {
  status: number;
  code: string;
  message: string;
  requestId: string | undefined;
  fields: FieldFault[];
  /** Seconds, from `Retry-After`. */
  retryAfter: number | undefined;
  body: unknown;
  method: string;
  path: string;
};

/** The service refused. Its subclasses tell by status what to do about it. */
export class ApiError extends MillraceError {
  override name = "ApiError";
  readonly status: number;
  readonly fields: FieldFault[];
  readonly retryAfter: number | undefined;
  /** The answer as it came. */
  readonly body: unknown;
  readonly method: string;
  readonly path: string;

  constructor(fault: ApiFault, retryable = false) {
    super(fault.code, fault.message, { requestId: fault.requestId, retryable });
    this.status = fault.status;
    this.fields = fault.fields;
    this.retryAfter = fault.retryAfter;
    this.body = fault.body;
    this.method = fault.method;
    this.path = fault.path;
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

/** The key has received another payload, or its wait has ended. */
export class EventConflictError extends ConflictError {
  override name = "EventConflictError";
}

export class ValidationError extends ApiError {
  override name = "ValidationError";
}

/** Too many requests: `retryAfter` seconds from now the next is welcome. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}

/** A quota is used up; waiting alone does not help. `max` is the quota where the service names it. */
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

/** The error of an answer that is not 2xx. */
export function apiError(fault: ApiFault): ApiError {
  const { status, code } = fault;
  if (status === 401) return new AuthenticationError(fault);
  if (status === 402) return new QuotaExceededError(fault);
  if (status === 403) return new PermissionError(fault);
  if (status === 404) return new NotFoundError(fault);
  if (status === 409 && EVENT_CONFLICTS.has(code)) return new EventConflictError(fault);
  if (status === 409) return new ConflictError(fault);
  if (status === 422) return new ValidationError(fault);
  if (status === 429 && QUOTAS.has(code)) return new QuotaExceededError(fault);
  if (status === 429) return new RateLimitError(fault, true);
  if (status >= 500) return new ServerError(fault, true);
  return new ApiError(fault);
}

const EVENT_CONFLICTS = new Set(["event_already_received", "event_trigger_ended"]);
const QUOTAS = new Set(["event_trigger_quota", "event_buffer_full", "quota_exceeded"]);
