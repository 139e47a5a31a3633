import type { Budget } from "../../budget/lock-budgets.ts";
import type { EnqueuedRun } from "./enqueue-runs.ts";
import type { NewRun } from "./new-run.ts";

export type TriggerResult =
  | { kind: "created"; run: NewRun; created: EnqueuedRun }
  /** A repeated request or a duplicate: the existing run is returned. */
  | { kind: "existing"; run_id: string; why: "idempotency_key" | "dedup" | "debounce" }
  /** The idempotency key was used for another request. */
  | { kind: "conflict" }
  | OverBudget
  /** The job has changed since the run was prepared: prepare it again. */
  | { kind: "stale" };

/** The run exceeds the project's budget: the budget's state, and what the run would have reserved. */
export type OverBudget = { kind: "over_budget"; budget: Budget; estimate: number };

/** The results of a batch so far. */
export type Settled = Map<NewRun, TriggerResult>;
