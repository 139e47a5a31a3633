import type { Ctx, InTransaction } from "../context.ts";
import { type NewDelivery, queueDeliveries } from "./queue-deliveries.ts";

/** Queues one webhook, in the transaction of the change it reports. Returns its id. */
export async function queueDelivery(ctx: Ctx & InTransaction, delivery: NewDelivery): Promise<string> {
  const [id] = await queueDeliveries(ctx, [delivery]);
  if (id === undefined) throw new Error("the delivery was not queued");
  return id;
}
