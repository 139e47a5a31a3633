import type { ErrorCode } from "@millrace/contract/error-codes";
import type { ProblemError } from "@millrace/contract/problem";
import { faultsRefusal } from "./faults-refusal.ts";

/** All faults at once, or nothing. */
export function refuseFaults(faults: readonly ProblemError[], code?: ErrorCode): void {
  const refusal = faultsRefusal(faults, code);
  if (refusal) throw refusal;
}
