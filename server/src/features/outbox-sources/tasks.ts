import type { Task } from "../../platform/task.ts";
import { HAS_DUE_SOURCES, OUTBOX_SOURCES_TOPIC } from "./claim-sources.ts";
import { sourceDrainerOf } from "./drainer.ts";

export const outboxSourceTasks: Task[] = [
  {
    name: "drain-outbox-sources",
    everyMs: 500,
    oneInstance: false,
    wakeOn: OUTBOX_SOURCES_TOPIC,
    hasWork: HAS_DUE_SOURCES,
    runOnce: async (ctx) => {
      await sourceDrainerOf(ctx).poll();
      return false;
    },
  },
];
