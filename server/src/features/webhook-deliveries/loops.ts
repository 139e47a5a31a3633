import type { Loop } from "../../platform/loop.ts";
import { removeOldDeliveries } from "./remove-old-deliveries.ts";
import { senderOf } from "./sender.ts";

export const webhookDeliveryLoops: Loop[] = [
  {
    name: "send-webhooks",
    everyMs: 500,
    oneInstance: false,
    wakeOn: "deliveries",
    runOnce: (ctx) => senderOf(ctx).look(),
  },
  { name: "remove-old-deliveries", everyMs: 60_000, oneInstance: true, runOnce: removeOldDeliveries },
];
