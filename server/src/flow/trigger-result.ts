import type { EnqueuedRun } from "./enqueue-runs.ts";
import type { NewRun } from "./new-run.ts";

export type TriggerResult =
  | { kind: "created"; run: NewRun; born: EnqueuedRun }
  /** Asked before, or the same again: this run stands for it. */
  | { kind: "existing"; run_id: string; why: "idempotency_key" | "dedup" | "debounce" }
  /** The idempotency key was used for another request. */
  | { kind: "conflict" }
  /** The project's budget has no room for it. */
  | { kind: "over_budget" }
  /** The job has changed since the run was prepared: prepare it again. */
  | { kind: "stale" };

/** What has been answered so far, of a batch. */
export type Settled = Map<NewRun, TriggerResult>;
