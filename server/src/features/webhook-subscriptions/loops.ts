import type { Loop } from "../../platform/loop.ts";
import { expandRunEvents } from "./expand-run-events.ts";
import { expandWorkflowEvents } from "./expand-workflow-events.ts";

export const webhookSubscriptionLoops: Loop[] = [
  {
    name: "expand-webhooks",
    everyMs: 500,
    oneInstance: true,
    followsLog: true,
    runOnce: async (ctx) => {
      const isMore = await Promise.all([expandRunEvents(ctx), expandWorkflowEvents(ctx)]);
      return isMore.includes(true);
    },
  },
];
