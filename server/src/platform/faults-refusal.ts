import type { ErrorCode } from "@millrace/contract/error-codes";
import type { ProblemError } from "@millrace/contract/problem";
import { Refusal } from "./errors.ts";

const MOST_TOLD = 100;

/** Faults as one refusal: the first in words, and how many more there are. Undefined: there is none. */
export function faultsRefusal(
  faults: readonly ProblemError[],
  code: ErrorCode = "validation_failed",
): Refusal | undefined {
  const [first] = faults;
  if (!first) return undefined;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return new Refusal(code, `${first.location}: ${first.message}${more}`, { errors: faults.slice(0, MOST_TOLD) });
}
