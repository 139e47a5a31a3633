import type { Budget } from "./budget/lock-budgets.ts";
import type { EnqueuedRun } from "./enqueue-runs.ts";
import type { NewRun } from "./new-run.ts";

export type TriggerResult =
  | { kind: "created"; run: NewRun; born: EnqueuedRun }
  /** Asked before, or the same again: this run stands for it. */
  | { kind: "existing"; run_id: string; why: "idempotency_key" | "dedup" | "debounce" }
  /** The idempotency key was used for another request. */
  | { kind: "conflict" }
  | OverBudget
  /** The job has changed since the run was prepared: prepare it again. */
  | { kind: "stale" };

/** The project's budget has no room for it: as it stood, and what the run would have taken. */
export type OverBudget = { kind: "over_budget"; budget: Budget; estimate: number };

/** What has been answered so far, of a batch. */
export type Settled = Map<NewRun, TriggerResult>;
