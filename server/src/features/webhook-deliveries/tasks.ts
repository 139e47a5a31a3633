import type { Task } from "../../platform/task.ts";
import { RETRY_BATCH_TOPIC } from "./order-retry.ts";
import { retryInBatches } from "./retry-in-batches.ts";
import { senderOf } from "./sender.ts";

export const webhookDeliveryTasks: Task[] = [
  {
    name: "send-webhooks",
    everyMs: 500,
    oneInstance: false,
    wakeOn: "deliveries",
    runOnce: (ctx) => senderOf(ctx).poll(),
  },
  {
    name: "retry-deliveries",
    everyMs: 1_000,
    oneInstance: false,
    wakeOn: RETRY_BATCH_TOPIC,
    runOnce: retryInBatches,
  },
];
