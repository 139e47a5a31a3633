import type { ProblemError } from "@millrace/contract/problem";
import { ApiError } from "./errors.ts";
import { throwIssues } from "./throw-issues.ts";

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
