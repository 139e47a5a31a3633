import { HAS_CLAIMABLE_RUNS } from "../flow/runs/claim/lanes.ts";
import { CIRCUITS_TOPIC, HAS_DUE_PROBES, HAS_OPEN_CIRCUITS } from "../flow/runs/dispatch/circuits.ts";
import { sql } from "../platform/database/sql.ts";
import type { Task } from "../platform/task.ts";
import { dispatcherOf } from "./dispatcher.ts";
import { rescueOrphans } from "./rescue-orphans.ts";

/** The dispatcher's periodic work; the rest runs when it is woken. */
export const dispatchTasks: Task[] = [
  {
    name: "poll-queue",
    everyMs: 1_000,
    oneInstance: false,
    hasWork: HAS_CLAIMABLE_RUNS,
    runOnce: (ctx) => dispatcherOf(ctx).poll(),
  },
  {
    name: "renew-leases",
    everyMs: 10_000,
    oneInstance: false,
    runOnce: async (ctx) => {
      await dispatcherOf(ctx).renew();
      return false;
    },
  },
  { name: "rescue-orphans", everyMs: 5_000, oneInstance: false, runOnce: rescueOrphans },
  {
    name: "read-circuits",
    everyMs: 1_000,
    oneInstance: false,
    wakeOn: CIRCUITS_TOPIC,
    hasWork: HAS_OPEN_CIRCUITS,
    hasWorkHere: (ctx) => dispatcherOf(ctx).hasUnhealthyHosts(),
    runOnce: async (ctx) => {
      await dispatcherOf(ctx).readCircuits();
      return false;
    },
  },
  {
    name: "probe-circuits",
    everyMs: 500,
    oneInstance: false,
    hasWork: HAS_DUE_PROBES,
    runOnce: async (ctx) => {
      await dispatcherOf(ctx).probe();
      return false;
    },
  },
  {
    name: "record-first-responses",
    everyMs: 1_000,
    oneInstance: false,
    hasWork: sql`false`,
    hasWorkHere: (ctx) => dispatcherOf(ctx).hasUnwrittenResponses(),
    runOnce: async (ctx) => {
      await dispatcherOf(ctx).writeFirstResponses();
      return false;
    },
  },
];
