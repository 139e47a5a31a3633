import { hasNewChanges } from "../../platform/changelog/has-new-changes.ts";
import type { Task } from "../../platform/task.ts";
import { publishChanges, WEBHOOKS_CONSUMER } from "./publish-changes.ts";

export const webhookSubscriptionTasks: Task[] = [
  {
    name: "publish-webhooks",
    everyMs: 500,
    oneInstance: true,
    consumesLog: true,
    hasWork: (ctx) => hasNewChanges(ctx, WEBHOOKS_CONSUMER),
    runOnce: publishChanges,
  },
];
