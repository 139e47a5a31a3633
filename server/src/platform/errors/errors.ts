import type { ErrorCode } from "@millrace/contract/error-codes/all-codes";
import type { ProblemError } from "@millrace/contract/schema/problem";

type ApiErrorDetail = { errors?: ProblemError[]; headers?: Record<string, string>; cause?: unknown };

/** A request refused with an error code. Only the API layer maps codes to statuses. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly errors: ProblemError[];
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, detail: ApiErrorDetail = {}) {
    super(message, { cause: detail.cause });
    this.code = code;
    this.errors = detail.errors ?? [];
    this.headers = detail.headers ?? {};
  }
}

/** The same error for an absent object and for one of another project, so that existence is not revealed. */
export function notFound(what: string): ApiError {
  return new ApiError("not_found", `There is no such ${what}.`);
}

/** A single issue in the input, with its path. */
export function invalid(location: string, message: string, value: unknown, code: ErrorCode = "validation_failed") {
  return new ApiError(code, `${location}: ${message}`, { errors: [{ location, message, value }] });
}

/** Returned while the database cannot be reached or is too busy. One second, since recovery is usually that quick. */
export function unavailable(message: string, cause?: unknown): ApiError {
  return new ApiError("service_unavailable", message, { headers: { "retry-after": "1" }, cause });
}

/** More arrives than the database takes: refused at once, since waiting would only delay what is waiting already. */
export function overloaded(): ApiError {
  return unavailable("Too many triggers are waiting for the database.");
}

/** Makes a switch over a union fail to compile when a member is not handled. */
export function never(value: never): never {
  throw new Error(`unhandled: ${JSON.stringify(value)}`);
}
