import { CIRCUITS_TOPIC } from "../flow/runs/dispatch/circuits.ts";
import type { Task } from "../platform/task.ts";
import { dispatcherOf } from "./dispatcher.ts";
import { rescueOrphans } from "./rescue-orphans.ts";

/** The dispatcher's periodic work; the rest runs when it is woken. */
export const dispatchTasks: Task[] = [
  {
    name: "poll-queue",
    everyMs: 1_000,
    oneInstance: false,
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
    runOnce: async (ctx) => {
      await dispatcherOf(ctx).readCircuits();
      return false;
    },
  },
  {
    name: "probe-circuits",
    everyMs: 1_000,
    oneInstance: false,
    runOnce: async (ctx) => {
      await dispatcherOf(ctx).probe();
      return false;
    },
  },
];
