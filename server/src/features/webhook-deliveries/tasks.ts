import { hasUnfinishedBatches } from "../../platform/batches/claim-batch.ts";
import type { Task } from "../../platform/task.ts";
import { HAS_PENDING_DELIVERIES } from "./find-due-receivers.ts";
import { retryInBatches } from "./retry-in-batches.ts";
import { senderOf } from "./sender.ts";
import { RETRY_BATCH, RETRY_BATCH_TOPIC } from "./start-retry.ts";

export const webhookDeliveryTasks: Task[] = [
  {
    name: "send-webhooks",
    everyMs: 500,
    oneInstance: false,
    wakeOn: "deliveries",
    hasWork: HAS_PENDING_DELIVERIES,
    runOnce: async (ctx) => {
      await senderOf(ctx).poll();
      return false;
    },
  },
  {
    name: "retry-deliveries",
    everyMs: 1_000,
    oneInstance: false,
    wakeOn: RETRY_BATCH_TOPIC,
    hasWork: hasUnfinishedBatches([RETRY_BATCH]),
    runOnce: retryInBatches,
  },
];
