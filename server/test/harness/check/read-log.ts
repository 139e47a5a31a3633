import { groupBy } from "../../../src/platform/group-by.ts";
import type { History, Transition } from "../history.ts";

export const ENDED = new Set(["completed", "failed", "timed_out", "canceled"]);

export type LogOf = (run_id: string) => Transition[];

/** The transitions of each run, in order. */
export function logsOf({ transitions }: History): LogOf {
  const byRun = groupBy(
    transitions.toSorted((a, b) => a.ordinal - b.ordinal),
    ({ run_id }) => run_id,
  );
  return (run_id) => byRun.get(run_id) ?? [];
}

export function claimsOf(log: readonly Transition[]): Transition[] {
  return log.filter(({ cause }) => cause === "claimed");
}

/** From the claim of an attempt until the run left `running`. Undefined: it was never claimed. */
export function spanOf(log: readonly Transition[], attempt: number): { from: number; to: number } | undefined {
  const claim = log.findIndex((each) => each.cause === "claimed" && each.attempt === attempt);
  if (claim < 0) return undefined;
  return { from: log[claim]?.at ?? 0, to: log[claim + 1]?.at ?? Number.POSITIVE_INFINITY };
}

/** For all its attempts. */
export function spansOf(log: readonly Transition[]): { from: number; to: number }[] {
  return claimsOf(log).flatMap(({ attempt }) => spanOf(log, attempt) ?? []);
}
