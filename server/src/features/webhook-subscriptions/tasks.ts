import { hasNewChanges } from "../../platform/changelog/has-new-changes.ts";
import type { Task } from "../../platform/task.ts";
import { isSubscribed, noteSubscriptions } from "./note-subscriptions.ts";
import { publishChanges, WEBHOOKS_CONSUMER } from "./publish-changes.ts";

/** Subscribers get an event a few tens of milliseconds after its commit. */
const SUBSCRIBED_MS = 40;

export const webhookSubscriptionTasks: Task[] = [
  {
    name: "publish-webhooks",
    everyMs: 500,
    soonerMs: (ctx) => (isSubscribed(ctx) ? SUBSCRIBED_MS : undefined),
    oneInstance: true,
    consumesLog: true,
    hasWork: async (ctx) => {
      await noteSubscriptions(ctx);
      return hasNewChanges(ctx, WEBHOOKS_CONSUMER);
    },
    runOnce: publishChanges,
  },
];
