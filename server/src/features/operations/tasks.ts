import { deleteIdleCounters } from "../../platform/access/ip-counters.ts";
import { removeOldChanges } from "../../platform/changelog/remove-old-changes.ts";
import { RETENTION_THROTTLE, type Task } from "../../platform/task.ts";
import { registerInstance } from "./announce-instance.ts";

const PAGE = 5_000;

export const operationTasks: Task[] = [
  { name: "register-instance", everyMs: 5_000, oneInstance: false, runOnce: registerInstance },
  {
    name: "delete-idle-counters",
    everyMs: 60_000,
    oneInstance: true,
    runOnce: async (ctx) => (await deleteIdleCounters(ctx, PAGE)) === PAGE,
  },
  {
    name: "remove-old-changes",
    everyMs: 60_000,
    oneInstance: true,
    throttle: RETENTION_THROTTLE,
    runOnce: removeOldChanges,
  },
];
