import type { ErrorCode } from "@millrace/contract/error-codes/all-codes";
import type { ProblemError } from "@millrace/contract/schema/problem";
import { ApiError } from "./errors.ts";

type Parts = readonly (() => unknown)[];
type Results<T extends Parts> = { [K in keyof T]: Awaited<ReturnType<T[K]>> };

/**
 * Runs the parts in sequence and returns their results. Validation errors of all parts are thrown together; any other
 * error at once.
 */
export async function collectIssues<T extends Parts>(...parts: T): Promise<Results<T>> {
  const results: unknown[] = [];
  const issues: ProblemError[] = [];
  for (const part of parts) {
    try {
      results.push(await part());
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "validation_failed") throw error;
      issues.push(...error.errors);
    }
  }
  throwIssues(issues);
  return results as Results<T>;
}

/** An object that prevents the deletion of another. */
export type InUse = { id: string; name: string; is_readable: boolean };

/** Names what prevents a deletion, as far as the caller may read it, and counts the rest. */
export function inUseIssues<By extends InUse>(
  dependents: readonly By[],
  location: string,
  describe: (dependent: By) => string,
): ProblemError[] {
  const readable = dependents.filter(({ is_readable }) => is_readable);
  const issues: ProblemError[] = readable.map((each) => ({ location, message: describe(each), value: each.id }));
  const hidden = dependents.length - readable.length;
  if (hidden > 0) issues.push({ location, message: `objects you cannot read depend on it: ${hidden}`, value: null });
  return issues;
}

/** Throws all issues together, if any. */
export function throwIssues(issues: readonly ProblemError[], code?: ErrorCode): void {
  const apiError = validationError(issues, code);
  if (apiError) throw apiError;
}

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
