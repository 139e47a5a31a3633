import { allTasks } from "../../src/engine/all-tasks.ts";
import { makeWorld, type World, type WorldOptions } from "./world.ts";

const TASKS = [
  "release-due-runs",
  "release-rate-limits",
  "expire-runs",
  "resolve-due-triggers",
  "fire-schedules",
  "time-out-workflow-runs",
  "run-outbox",
  "start-due-workflow-runs",
  "read-circuits",
  "probe-circuits",
  "record-first-responses",
  "fail-unreachable-runs",
  "poll-queue",
  "renew-leases",
  "sweep-leases",
  "reconcile-queue",
  "reconcile-dependencies",
  "reconcile-triggers",
  "reconcile-workflows",
  "sweep-cancel-keys",
  "finish-bulk-cancels",
];

/**
 * A world whose `runUntilIdle` runs only the tasks that move runs. Rollups, the search index, webhooks, log drains,
 * budgets and canaries do not run: tests of those call `makeWorld`.
 */
export function makeFlowWorld(options: Omit<WorldOptions, "tasks"> = {}): Promise<World> {
  return makeWorld({ ...options, tasks: allTasks.filter(({ name }) => TASKS.includes(name)) });
}
