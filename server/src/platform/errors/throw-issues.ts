import type { ErrorCode } from "@millrace/contract/error-codes";
import type { ProblemError } from "@millrace/contract/problem";
import { validationError } from "./validation-error.ts";

/** Throws all issues together, if any. */
export function throwIssues(issues: readonly ProblemError[], code?: ErrorCode): void {
  const apiError = validationError(issues, code);
  if (apiError) throw apiError;
}
