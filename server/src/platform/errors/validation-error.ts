import type { ErrorCode } from "@millrace/contract/error-codes";
import type { ProblemError } from "@millrace/contract/problem";
import { ApiError } from "./errors.ts";

const MAX_REPORTED = 100;

/** One error from all issues: the first as the message, and how many more there are. Undefined: no issues. */
export function validationError(
  issues: readonly ProblemError[],
  code: ErrorCode = "validation_failed",
): ApiError | undefined {
  const [first] = issues;
  if (!first) return undefined;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new ApiError(code, `${first.location}: ${first.message}${more}`, { errors: issues.slice(0, MAX_REPORTED) });
}
