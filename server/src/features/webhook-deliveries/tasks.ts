import { RETENTION_THROTTLE, type Task } from "../../platform/task.ts";
import { RETRY_BATCH_TOPIC } from "./order-retry.ts";
import { removeOldDeliveries } from "./remove-old-deliveries.ts";
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
  {
    name: "remove-old-deliveries",
    everyMs: 60_000,
    oneInstance: true,
    throttle: RETENTION_THROTTLE,
    runOnce: removeOldDeliveries,
  },
];
