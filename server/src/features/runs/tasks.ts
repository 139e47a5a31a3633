import { HAS_DUE_WINDOWS, releaseRates } from "../../flow/limits/release-rates.ts";
import { outboxOf } from "../../flow/outbox.ts";
import { reconcileDependencies } from "../../flow/runs/dependencies/reconcile-dependencies.ts";
import { expireRuns, HAS_EXPIRED_RUNS } from "../../flow/runs/maintain/expire-runs.ts";
import { failUnreachable, HAS_UNREACHABLE_HOSTS } from "../../flow/runs/maintain/fail-unreachable.ts";
import { reconcileQueue } from "../../flow/runs/maintain/reconcile-queue.ts";
import { HAS_DUE_RUNS, releaseDue } from "../../flow/runs/maintain/release-due.ts";
import { HAS_EXPIRED_LEASES, sweepLeases } from "../../flow/runs/maintain/sweep-leases.ts";
import { HAS_OUTBOX_ENTRIES } from "../../platform/outbox/claim-outbox.ts";
import type { Task } from "../../platform/task.ts";
import { describeWaiting, HAS_UNDESCRIBED_RUNS } from "./search/describe-runs.ts";

/** The queue's timers. They run on every instance and skip rows that another one has locked. */
export const runTasks: Task[] = [
  { name: "release-due-runs", everyMs: 500, oneInstance: false, hasWork: HAS_DUE_RUNS, runOnce: releaseDue },
  { name: "release-rate-limits", everyMs: 500, oneInstance: false, hasWork: HAS_DUE_WINDOWS, runOnce: releaseRates },
  { name: "expire-runs", everyMs: 1_000, oneInstance: false, hasWork: HAS_EXPIRED_RUNS, runOnce: expireRuns },
  {
    name: "fail-unreachable-runs",
    everyMs: 1_000,
    oneInstance: false,
    hasWork: HAS_UNREACHABLE_HOSTS,
    runOnce: failUnreachable,
  },
  { name: "sweep-leases", everyMs: 5_000, oneInstance: false, hasWork: HAS_EXPIRED_LEASES, runOnce: sweepLeases },
  {
    name: "run-outbox",
    everyMs: 1_000,
    oneInstance: false,
    wakeOn: "outbox",
    hasWork: HAS_OUTBOX_ENTRIES,
    runOnce: (ctx) => outboxOf(ctx).pass(),
  },
  { name: "reconcile-queue", everyMs: 30_000, oneInstance: true, runOnce: reconcileQueue },
  { name: "reconcile-dependencies", everyMs: 30_000, oneInstance: true, runOnce: reconcileDependencies },
  {
    name: "describe-waiting-runs",
    everyMs: 10_000,
    oneInstance: true,
    hasWork: HAS_UNDESCRIBED_RUNS,
    runOnce: describeWaiting,
  },
];
