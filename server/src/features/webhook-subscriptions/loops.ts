import { hasNews } from "../../platform/ledger/has-news.ts";
import type { Loop } from "../../platform/loop.ts";
import { expandRunEvents, RUN_EVENTS_FOLLOWER } from "./expand-run-events.ts";
import { expandWorkflowEvents, WORKFLOW_EVENTS_FOLLOWER } from "./expand-workflow-events.ts";

export const webhookSubscriptionLoops: Loop[] = [
  {
    name: "expand-webhooks",
    everyMs: 500,
    oneInstance: true,
    followsLog: true,
    hasWork: async (ctx) => {
      const hasSome = await Promise.all([
        hasNews(ctx, RUN_EVENTS_FOLLOWER, "run_transitions"),
        hasNews(ctx, WORKFLOW_EVENTS_FOLLOWER, "workflow_decisions"),
      ]);
      return hasSome.includes(true);
    },
    runOnce: async (ctx) => {
      const isMore = await Promise.all([expandRunEvents(ctx), expandWorkflowEvents(ctx)]);
      return isMore.includes(true);
    },
  },
];
