import type { ProblemError } from "@millrace/contract/problem";
import { Refusal } from "./errors.ts";

const MOST_TOLD = 100;

/** All faults at once, or nothing. */
export function refuseFaults(faults: readonly ProblemError[]): void {
  const [first] = faults;
  if (!first) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  throw new Refusal("validation_failed", `${first.location}: ${first.message}${more}`, {
    errors: faults.slice(0, MOST_TOLD),
  });
}
