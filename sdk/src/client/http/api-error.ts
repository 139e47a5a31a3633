import { MillraceError } from "../../errors.ts";

/**
 * A validation error: `body.steps[2].event_key`, the message, and the rejected value.
 *
 * @example
 * const problems: FieldError[] = error instanceof ApiError ? error.fields : [];
 * for (const { location, message } of problems) console.log(`${location}: ${message}`);
 */
export type FieldError = { location: string; message: string; value?: unknown };

export type ApiErrorDetails = {
  status: number;
  code: string;
  message: string;
  requestId: string | undefined;
  fields: FieldError[];
  /** Seconds, from `Retry-After`. */
  retryAfterSecs: number | undefined;
  body: unknown;
  method: string;
  path: string;
  /** Of the response, if the `fetch` in use knows it. */
  url?: string;
};

/**
 * An error response of the service. Subclasses distinguish the HTTP status.
 *
 * @example
 * try {
 *   await client.jobs.get("send-mail");
 * } catch (error) {
 *   if (error instanceof ApiError) console.log(error.status, error.code, error.requestId);
 * }
 */
export class ApiError extends MillraceError {
  override name = "ApiError";
  readonly status: number;
  readonly fields: FieldError[];
  readonly retryAfterSecs: number | undefined;
  /** The response body as received. */
  readonly body: unknown;
  readonly method: string;
  readonly path: string;
  readonly #url: string | undefined;

  constructor(details: ApiErrorDetails, retryable = false) {
    super(details.code, details.message, { requestId: details.requestId, retryable });
    this.status = details.status;
    this.fields = details.fields;
    this.retryAfterSecs = details.retryAfterSecs;
    this.body = details.body;
    this.method = details.method;
    this.path = details.path;
    this.#url = details.url;
  }

  override get docsUrl(): string {
    if (this.code.startsWith("http_")) return super.docsUrl; // not from the service
    const page = `/docs/errors/${this.code}`;
    return this.#url ? new URL(page, this.#url).href : page;
  }
}

/**
 * 401: the API key is missing, unknown, expired or revoked.
 *
 * @example
 * if (error instanceof AuthenticationError) console.log("Check MILLRACE_API_KEY:", error.message);
 */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}

/**
 * 403: the key is valid, but may not do this.
 *
 * @example
 * if (error instanceof PermissionError) console.log("The key lacks a scope:", error.message);
 */
export class PermissionError extends ApiError {
  override name = "PermissionError";
}

/**
 * 404: there is no such object, or the key may not see it.
 *
 * @example
 * const job = await client.jobs.get("send-mail").catch((error) => {
 *   if (error instanceof NotFoundError) return undefined;
 *   throw error;
 * });
 */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

/**
 * 409: the object is in a state that does not allow this.
 *
 * @example
 * if (error instanceof ConflictError) console.log(error.code, error.message);
 */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}

/**
 * The key has already received a different payload, or its wait has ended.
 *
 * @example
 * try {
 *   await client.events.send(approved({ id: "o-1" }), { by: "ann" });
 * } catch (error) {
 *   if (!(error instanceof EventConflictError)) throw error;
 *   console.log("It was decided before:", error.message);
 * }
 */
export class EventConflictError extends ConflictError {
  override name = "EventConflictError";
}

/**
 * 422: the request is invalid. `fields` names every field with an error.
 *
 * @example
 * if (error instanceof ValidationError) console.log(error.fields.map(({ location }) => location));
 */
export class ValidationError extends ApiError {
  override name = "ValidationError";
}

/**
 * Too many requests. Retry after `retryAfterSecs` seconds.
 *
 * @example
 * if (error instanceof RateLimitError) console.log(`Try again in ${error.retryAfterSecs ?? 1} s.`);
 */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}

/**
 * A quota is exceeded; waiting alone does not help. `max` is the quota if the service states it.
 *
 * @example
 * if (error instanceof QuotaExceededError) console.log("The quota is", error.max);
 */
export class QuotaExceededError extends ApiError {
  override name = "QuotaExceededError";
  get max(): number | undefined {
    const found = /\b(\d[\d,]*)\b/.exec(this.message)?.[1];
    return found === undefined ? undefined : Number(found.replaceAll(",", ""));
  }
}

/**
 * 5xx: the service failed. Calls that are safe to repeat have been retried already.
 *
 * @example
 * if (error instanceof ServerError) console.log("Report the request id", error.requestId);
 */
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
