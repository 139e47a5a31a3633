import { releaseRates } from "../../flow/limits/release-rates.ts";
import { outboxOf } from "../../flow/outbox.ts";
import { reconcileDependencies } from "../../flow/runs/dependencies/reconcile-dependencies.ts";
import { expireRuns, hasExpiredRuns } from "../../flow/runs/maintain/expire-runs.ts";
import { reconcileQueue } from "../../flow/runs/maintain/reconcile-queue.ts";
import { releaseDue } from "../../flow/runs/maintain/release-due.ts";
import { sweepLeases } from "../../flow/runs/maintain/sweep-leases.ts";
import type { Task } from "../../platform/task.ts";
import { describeWaiting } from "./describe-waiting.ts";

/** The queue's timers. They run on every instance and skip rows that another one has locked. */
export const runTasks: Task[] = [
  { name: "release-due-runs", everyMs: 500, oneInstance: false, runOnce: releaseDue },
  { name: "release-rate-limits", everyMs: 500, oneInstance: false, runOnce: releaseRates },
  { name: "expire-runs", everyMs: 1_000, oneInstance: false, hasWork: hasExpiredRuns, runOnce: expireRuns },
  { name: "sweep-leases", everyMs: 5_000, oneInstance: false, runOnce: sweepLeases },
  {
    name: "run-outbox",
    everyMs: 1_000,
    oneInstance: false,
    wakeOn: "outbox",
    runOnce: (ctx) => outboxOf(ctx).pass(),
  },
  { name: "reconcile-queue", everyMs: 30_000, oneInstance: true, runOnce: reconcileQueue },
  { name: "reconcile-dependencies", everyMs: 30_000, oneInstance: true, runOnce: reconcileDependencies },
  { name: "describe-waiting-runs", everyMs: 10_000, oneInstance: true, runOnce: describeWaiting },
];
