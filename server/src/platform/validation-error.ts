import type { ErrorCode } from "@millrace/contract/error-codes";
import type { ProblemError } from "@millrace/contract/problem";
import { ApiError } from "./errors.ts";

const MOST_TOLD = 100;

/** Issues as one refusal: the first in words, and how many more there are. Undefined: there is none. */
export function validationError(
  issues: readonly ProblemError[],
  code: ErrorCode = "validation_failed",
): ApiError | undefined {
  const [first] = issues;
  if (!first) return undefined;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new ApiError(code, `${first.location}: ${first.message}${more}`, { errors: issues.slice(0, MOST_TOLD) });
}
